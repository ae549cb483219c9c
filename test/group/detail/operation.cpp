#include "collsched/group/detail/operation.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <functional>
#include <utility>
#include <vector>

#include "collsched/collective/allreduce/recursive_doubling.hpp"
#include "collsched/execute/mock.hpp"
#include "collsched/execute/run_async.hpp"
#include "collsched/group/group.hpp"
#include "support/coroutines.hpp"

using namespace collsched;
using namespace std::chrono_literals;

namespace {

/// Two ranks of a mock network, in one thread.
struct two_ranks {
    explicit two_ranks(std::chrono::nanoseconds timeout = forever)
        : options{.policy = policies::named(allreduce::recursive_doubling{}), .timeout = timeout} {}

    mock_network network{2};
    mock_network::endpoint first = network.at(0), second = network.at(1);
    group_options options;
    group<mock_network::endpoint> zero{first, 2, 0, options}, one{second, 2, 1, options};
    std::vector<int> a{1, 2}, b{10, 20};
};

support::task note_end(group<mock_network::endpoint>::operation& mine, run_status& end) {
    end = co_await run_async(mine);
}

}  // namespace

TEST_CASE("operation: coroutines run it, and receive each kind of end") {
    two_ranks all;
    auto mine = all.zero.prepare(calls::allreduce(all.a, std::plus<>()));
    auto other = all.one.prepare(calls::allreduce(all.b, std::plus<>()));
    auto refused = all.zero.prepare(calls::broadcast(all.a));
    run_status end{.state = run_status::phase::failed};
    note_end(mine, end);
    CHECK(end.failed());  // it waits
    other.start();
    CHECK((other.wait().ok() && mine.wait().ok() && end.done() && all.a[0] == 11));
    note_end(refused, end);
    CHECK(end.state == run_status::phase::idle);

    note_end(mine, end);
    mine.cancel();
    CHECK((end.failed() && end.error == cancelled));
    note_end(mine, end);  // of a group that has failed
    CHECK((end.failed() && end.error == message::error::revoked));
}

TEST_CASE("operation: it runs from start() to its end, and may start again") {
    two_ranks all;
    auto mine = all.zero.prepare(calls::allreduce(all.a, std::plus<>()));
    CHECK(mine.result().status.state == run_status::phase::idle);
    CHECK(mine.start().running());
    CHECK(mine.test().running());
    CHECK(mine.start().wrong);  // while running: refused, without effect
    CHECK(mine.wait_for(1us).running());
    auto other = all.one.start(calls::allreduce(all.b, std::plus<>()));
    CHECK((mine.wait().ok() && other.wait().ok()));
    CHECK((all.a == std::vector<int>{11, 22} && all.b == all.a));
    CHECK((mine.start().running() && other.start().ok() == false));
    CHECK((mine.wait_for(forever).ok() && other.wait().ok() && all.a[0] == 22));
}

TEST_CASE("operation: cancel() fails the operations of both ranks, with the cause") {
    two_ranks all;
    auto mine = all.zero.start(calls::allreduce(all.a, std::plus<>()));
    auto other = all.one.prepare(calls::allreduce(all.b, std::plus<>()));
    const outcome end = mine.cancel();
    CHECK((end.status.error == cancelled && end.cause.error == cancelled && end.cause.rank == 0));
    CHECK(mine.cancel().status.error == cancelled);
    other.start();
    const outcome there = other.wait();
    CHECK((there.status.error == message::error::revoked && there.cause.error == cancelled && there.cause.rank == 0));
    CHECK(other.start().status.failed());
    CHECK(mine.start().status.failed());
}

TEST_CASE("operation: after the timeout of the group it has failed with timed_out") {
    two_ranks all(1ms);
    auto mine = all.zero.start(calls::allreduce(all.a, std::plus<>()));
    while (mine.test().running()) {}
    CHECK(mine.result().status.error == timed_out);
    CHECK(all.zero.is_revoked());
}

TEST_CASE("operation: the end of one that runs cancels it, and moves keep it") {
    two_ranks all;
    {
        auto mine = all.zero.start(calls::allreduce(all.a, std::plus<>()));
        auto moved = std::move(mine);
        CHECK(moved.test().running());
        mine = std::move(moved);
        CHECK(mine.test().running());
    }
    CHECK(all.zero.is_revoked());
    group<mock_network::endpoint>::operation none;
    CHECK((!none.test().running() && !none.start().ok() && !none.cancel().ok() && !none.wait().ok()));
}
