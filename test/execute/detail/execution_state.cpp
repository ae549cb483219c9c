#include "collsched/execute/detail/execution_state.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "collsched/collective/alltoall/bruck.hpp"
#include "collsched/collective/alltoall/direct.hpp"
#include "collsched/collective/allreduce/recursive_doubling.hpp"
#include "collsched/execute/engine.hpp"

using namespace collsched;

namespace {

/// Keeps what is posted; the test completes it.
struct kept_posts {
    struct post {
        message::request request;
        bool sends;
    };
    std::vector<post> posts;
    std::vector<message::send_part> sent;
    std::vector<message::receive_part> received;
    int cancelled = 0;

    int post_send(const message::key& key, std::span<const message::send_part> parts) {
        posts.push_back({key.request, true});
        sent.insert(sent.end(), parts.begin(), parts.end());
        return 0;
    }
    int post_recv(const message::key& key, std::span<const message::receive_part> parts) {
        posts.push_back({key.request, false});
        received.insert(received.end(), parts.begin(), parts.end());
        return 0;
    }
    void cancel(const void*) { ++cancelled; }
};

/// Memory of each area in one array of its own.
struct four_areas {
    explicit four_areas(const plan& p)
        : bytes{std::vector<std::byte>(static_cast<std::size_t>(p.input_bytes())),
                std::vector<std::byte>(static_cast<std::size_t>(p.output_bytes())),
                std::vector<std::byte>(static_cast<std::size_t>(p.scratch_bytes())),
                std::vector<std::byte>(static_cast<std::size_t>(p.staging_bytes()))} {}
    plan::buffers bound() { return {bytes[0].data(), bytes[1].data(), bytes[2].data(), bytes[3].data()}; }
    const std::byte* at(message::area area) const { return bytes[static_cast<std::size_t>(area)].data(); }
    std::vector<std::byte> bytes[4];
};

const reduction keep{[](void*, std::byte*, const std::byte*, bytes_t, action) {}, nullptr, true};

}  // namespace

TEST_CASE("execution_state: every part of a message carries its buffer and its offset there, beside the address") {
    const auto check = [](const plan& p) {
        four_areas memory(p);
        kept_posts over;
        execution run(p, over);
        run.start(memory.bound(), keep);
        for (std::size_t i = 0; i < over.posts.size(); ++i) deliver({over.posts[i].request});
        CHECK(run.state().done());
        for (const message::send_part& part : over.sent) CHECK(part.data == memory.at(part.area) + part.offset);
        for (const message::receive_part& part : over.received) CHECK(part.data == memory.at(part.area) + part.offset);
        return over;
    };
    const kept_posts exchange = check(plan(alltoall::bruck{.ranks = 5, .block = 4}, 1));
    CHECK(exchange.sent.size() > 3);
    const kept_posts combining = check(plan(allreduce::recursive_doubling{.ranks = 4, .bytes = 8}, 2));
    CHECK(combining.received.front().area == message::area::output);  // folded
    CHECK(combining.received.back().area == message::area::staging);
}

TEST_CASE("execution_state: a request reaches its execution through deliver(), whichever type the execution has") {
    const plan p(allreduce::recursive_doubling{.ranks = 2, .bytes = 8}, 0);
    four_areas memory(p);
    kept_posts over;
    execution run(p, over);
    run.start(memory.bound(), keep);
    REQUIRE(over.posts.size() == 2);
    CHECK(over.posts[0].request.owner == over.posts[1].request.owner);
    CHECK(over.posts[0].request.node != over.posts[1].request.node);
    deliver({over.posts[0].request});
    CHECK(run.state().running());
    deliver({over.posts[0].request});  // twice
    CHECK(run.state().error == unknown_completion);
    CHECK(over.cancelled == 1);
    deliver({over.posts[1].request});  // after the end
    CHECK(run.state().error == unknown_completion);
    deliver({});
}

namespace {

/// Keeps local work; the test completes it.
struct kept_work {
    std::vector<message::request> requests;
    std::vector<plan::local_operation> operations;
    int cancelled = 0;

    int submit(const plan::local_operation& operation, const message::request& request) {
        operations.push_back(operation);
        requests.push_back(request);
        return 0;
    }
    void cancel(const void*) { ++cancelled; }
};

/// The operations in flight, such as "0:1 send 8, ".
template <class Run>
std::string in_flight(const Run& run) {
    std::string all;
    for (const auto& one : run.missing())
        all += std::to_string(one.step) + ":" + std::to_string(one.peer) + (one.sends ? " send " : " other ") +
               std::to_string(one.bytes) + ", ";
    return all;
}

/// Ends of starts.
struct noted_ends {
    std::vector<run_status> all;
    static void note(void* context, const run_status& end) { static_cast<noted_ends*>(context)->all.push_back(end); }
};

}  // namespace

TEST_CASE("execution_state: the operations in flight are messages and local work, in program order") {
    const plan p(allreduce::recursive_doubling{.ranks = 4, .bytes = 8}, 2);
    four_areas memory(p);
    kept_posts over;
    kept_work local;
    noted_ends ends;
    execution run(p, over, local, {.epoch = 5, .on_end = noted_ends::note, .on_end_context = &ends});
    CHECK(run.missing().empty());
    CHECK(run.epoch() == 5);
    run.start(memory.bound(), keep);
    CHECK(in_flight(run) == "1:3 send 8, 1:3 other 8, 2:0 other 8, ");
    deliver({over.posts[0].request});
    CHECK(in_flight(run) == "1:3 other 8, 2:0 other 8, ");
    while (!local.requests.empty() || over.posts.size() < 4) {
        if (run.missing().front().peer == 2) {
            CHECK(in_flight(run) == "1:2 other 8, 2:0 other 8, ");
            deliver({local.requests.back()});
            local.requests.clear();
        } else {
            deliver({over.posts[1].request});
        }
    }
    CHECK(in_flight(run) == "2:0 other 8, 2:0 send 8, ");
    CHECK(ends.all.empty());
    run.fail(77);
    CHECK(run.missing().empty());
    CHECK(run.epoch() == 6);
    CHECK((over.cancelled == 1 && local.cancelled == 1));
    REQUIRE(ends.all.size() == 1);
    CHECK((ends.all[0].state == run_status::phase::failed && ends.all[0].error == 77 && ends.all[0].step == 2));
    CHECK((ends.all[0].rank == 2 && ends.all[0].peer == 0));
    run.fail(78);  // ignored while not running
    CHECK((ends.all.size() == 1 && run.state().error == 77 && run.epoch() == 6));
}

TEST_CASE(
    "execution_state: a failure of the transport names the first message with the peer at fault, or the first one") {
    const plan p(alltoall::linear{.ranks = 4, .block = 8}, 0);
    four_areas memory(p);
    for (const rank_t peer : {-1, 1, 2, 3, 7}) {
        kept_posts over;
        noted_ends ends;
        execution run(p, over, {.on_end = noted_ends::note, .on_end_context = &ends});
        run.start(memory.bound());
        REQUIRE(run.state().running());
        const step_t first = run.missing().front().step;
        const rank_t first_peer = run.missing().front().peer;
        step_t expected = first;
        for (const auto& one : run.missing())
            if (one.peer == peer) {
                expected = one.step;
                break;
            }
        run.complete({{}, 9, peer});
        CHECK((run.state().failed() && run.state().error == 9 && run.state().rank == 0));
        CHECK(run.state().step == expected);
        CHECK(run.state().peer == (peer < 0 ? first_peer : peer));
        CHECK((ends.all.size() == 1 && over.cancelled == 1));
    }
    kept_posts over;
    execution run(p, over);
    run.start(memory.bound());
    run.complete({});  // neither a request nor an error
    CHECK(run.state().error == stalled);
}

TEST_CASE("execution_state: completions of other executions, other starts and unknown operations are errors") {
    const plan p(allreduce::recursive_doubling{.ranks = 2, .bytes = 8}, 0);
    four_areas memory(p);
    const auto error_after = [&](auto change, int error = 0) {
        kept_posts over;
        execution run(p, over);
        run.start(memory.bound(), keep);
        run.cancel();
        run.start(memory.bound(), keep);
        REQUIRE(over.posts.size() == 4);
        message::request request = over.posts[2].request;
        change(request, over);
        const auto first = run.missing().front();
        run.complete({request, error});
        const bool unknown = error == 0 && run.state().failed();
        if (unknown) CHECK((run.state().step == first.step && run.state().peer == first.peer));
        return run.state().error;
    };
    int other = 0;
    CHECK(error_after([](auto&, auto&) {}) == 0);
    CHECK(error_after([](auto&, auto&) {}, 6) == 6);
    CHECK(error_after([&](auto& r, auto&) { r.owner = &other; }) == unknown_completion);
    CHECK(error_after([&](auto& r, auto& over) { r = over.posts[0].request; }) == unknown_completion);
    CHECK(error_after([&](auto& r, auto& over) { r.node = over.posts[3].request.node + 100; }) == unknown_completion);
    CHECK(error_after([&](auto& r, auto& over) { r.node = over.posts[3].request.node + 1; }, 6) == unknown_completion);
}
