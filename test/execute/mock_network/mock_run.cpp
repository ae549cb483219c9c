#include "collsched/execute/mock_network/mock_run.hpp"

#include <doctest/doctest.h>

#include <deque>
#include <vector>

#include "collsched/collective/allgather/bruck.hpp"
#include "collsched/collective/allgather/ring.hpp"
#include "collsched/collective/allreduce/ring.hpp"
#include "support/real_bytes.hpp"
#include "support/small_schedules.hpp"

using namespace collsched;

namespace {

bool right(const support::filled& all) {
    for (const auto& one : all.bytes)
        if (one.wrong() != "") return false;
    return true;
}

const allgather::ring ring{.ranks = 4, .block = 6};
const allgather::bruck bruck{.ranks = 4, .block = 3};

}  // namespace

TEST_CASE("run_mock: runs a schedule over the network of the options, and returns the state of each rank") {
    support::filled mine(lower(ring).contract());
    const std::vector<run_status> ends =
        run_mock(ring, mine.memory, {.seed = 3, .eager = true, .reorder = true, .delay = 40}, binding::separate, {}, 3);
    REQUIRE(ends.size() == 4);
    for (const run_status& end : ends) CHECK(end.done());
    CHECK(right(mine));
}

TEST_CASE("run_mock: runs the schedule `repeat` times") {
    const allreduce::ring s{.ranks = 3, .bytes = 12};
    const auto combined = [&](int repeat) {
        support::filled mine(lower(s).contract());
        int calls = 0;
        const reduction counted{
            .combine = [](void* n, std::byte*, const std::byte*, bytes_t, action) { ++*static_cast<int*>(n); },
            .context = &calls,
            .commutative = true};
        for (const run_status& end : run_mock(s, mine.memory, {}, binding::separate, counted, repeat))
            CHECK(end.done());
        return calls;
    };
    REQUIRE(combined(1) > 0);
    CHECK(combined(3) == 3 * combined(1));
}

TEST_CASE("run_mock: every rank ends, including ranks that wait for messages that no rank sends") {
    for (const std::chrono::nanoseconds timeout : {forever, std::chrono::nanoseconds(std::chrono::hours(1))}) {
        support::filled mine(lower(ring).contract());
        const std::vector<run_status> ends =
            run_mock(ring, mine.memory, {.faults = {.lose = 0}}, binding::separate, {}, 5, timeout);
        int failed = 0;
        for (const run_status& end : ends) {
            CHECK((end.done() || end.failed()));
            if (!end.failed()) continue;
            ++failed;
            CHECK(end.error == (timeout == forever ? int(mock_network::error::would_block) : int(timed_out)));
            CHECK((end.step >= 0 && end.peer >= 0));
        }
        CHECK(failed > 0);
    }
}

TEST_CASE("run_mock: unsuitable buffers are reported before the run") {
    support::filled mine(lower(ring).contract());
    mine.memory[2].output = mine.memory[2].output.first(23);
    const std::vector<run_status> ends = run_mock(ring, mine.memory, {});
    REQUIRE(ends.size() == 1);
    CHECK((ends[0].error == small_buffer && ends[0].rank == 2));
    mine.memory.pop_back();
    CHECK_THROWS_WITH(run_mock(ring, mine.memory, {}), "memory: got 3, expected buffers for every rank");
}

TEST_CASE("mock_network: groups on separate channels share a network, in any order of starts") {
    support::filled one(lower(ring).contract()), other(lower(bruck).contract());
    mock_network network(4, {.seed = 5, .reorder = true, .delay = 10});
    mock_network::group first(network, ring, one.memory, binding::separate, {.channel = 1});
    mock_network::group second(network, bruck, other.memory, binding::separate, {.channel = 2, .epoch = 9});
    std::vector<mock_network::group::execution*> all = first.runs();
    for (mock_network::group::execution* run : second.runs()) all.push_back(run);
    for (int round = 0; round < 3; ++round) {
        one.refill(round);
        other.refill(round);
        for (rank_t r = 0; r < 4; ++r) {
            first.start(3 - r);
            second.start(r);
        }
        CHECK(take_turns(network, all));
        CHECK((first.outcome().done() && second.outcome().done()));
        CHECK((right(one) && right(other)));
    }
    CHECK(second.run_of(3).epoch() == 12);
}

TEST_CASE("take_turns: stops at a given time and continues from there") {
    support::filled mine(lower(ring).contract());
    mock_network network(4, {.seed = 1, .delay = 1000});
    mock_network::group all(network, ring, mine.memory);
    all.start();
    CHECK(!take_turns(network, all.runs(), 500));
    CHECK((network.now() >= 500 && network.now() < 600));
    CHECK(all.states()[0].state == run_status::phase::running);
    CHECK(take_turns(network, all.runs()));
    CHECK(right(mine));
    CHECK(take_turns(network, all.runs()));
}

namespace {

/// Delays each completion until a poll finds no other completion.
class late : public mock_network::endpoint {
  public:
    explicit late(mock_network::endpoint inner) : mock_network::endpoint(inner) {}
    completion poll() {
        const completion c = mock_network::endpoint::poll();
        if (c.request.owner != nullptr) {
            kept_.push_back(c);
            return {};
        }
        if (kept_.empty()) return c;
        const completion first = kept_.front();
        kept_.pop_front();
        return first;
    }

  private:
    std::deque<completion> kept_;
};

}  // namespace

TEST_CASE("take_turns: continues while wrapped transports hold completions back") {
    support::filled mine(lower(ring).contract());
    mock_network network(4);
    std::deque<late> wrapped;
    std::deque<bound_plan> plans;
    std::deque<execution<late>> runs;
    std::vector<execution<late>*> all;
    for (rank_t r = 0; r < 4; ++r) {
        const auto i = static_cast<std::size_t>(r);
        plans.emplace_back(ring, r, mine.memory[i]);
        runs.emplace_back(plans[i].plan(), wrapped.emplace_back(network.at(r)));
        all.push_back(&runs[i]);
        runs[i].start(plans[i].buffers());
    }
    CHECK(take_turns(network, all));
    CHECK(right(mine));
}

TEST_CASE("settle: a rank without its peer has timed out at the deadline, with step and peer") {
    support::filled mine(lower(ring).contract());
    mock_network network(4);
    mock_network::group all(network, ring, mine.memory);
    for (const rank_t r : {0, 1, 3}) all.start(r);
    settle(network, all.runs(), std::chrono::microseconds(7));
    CHECK((network.now() >= 7000 && network.now() < 7100));
    CHECK(all.states()[2].state == run_status::phase::idle);
    for (const rank_t r : {0, 1, 3}) {
        const run_status end = all.run_of(r).state();
        CAPTURE(r);
        CHECK((end.error == timed_out && end.rank == r && end.step >= 0));
        if (r != 0) CHECK(end.peer == 2);
    }
    CHECK(all.run_of(0).state().peer == 3);
}

TEST_CASE("mock_network: a group reports wrong parameters") {
    support::filled mine(lower(ring).contract());
    mock_network network(4);
    const mock_network::group all(network, ring, mine.memory, binding::in_place);
    CHECK(all.outcome().error == not_in_place);
    CHECK(!mock_network::group(network, ring, mine.memory).outcome().failed());
}
