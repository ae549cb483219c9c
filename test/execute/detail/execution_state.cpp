#include "collsched/execute/detail/execution_state.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <span>
#include <vector>

#include "collsched/collective/alltoall/bruck.hpp"
#include "collsched/collective/allreduce/recursive_doubling.hpp"
#include "collsched/execute/engine.hpp"

using namespace collsched;

namespace {

/// Keeps what is posted; the test completes it.
struct kept_posts {
    struct post {
        message_request request;
        bool sends;
    };
    std::vector<post> posts;
    std::vector<send_part> sent;
    std::vector<receive_part> received;
    int cancelled = 0;

    int post_send(const message_key& key, std::span<const send_part> parts) {
        posts.push_back({key.request, true});
        sent.insert(sent.end(), parts.begin(), parts.end());
        return 0;
    }
    int post_recv(const message_key& key, std::span<const receive_part> parts) {
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
    bound_buffers bound() { return {bytes[0].data(), bytes[1].data(), bytes[2].data(), bytes[3].data()}; }
    const std::byte* at(memory_area area) const { return bytes[static_cast<std::size_t>(area)].data(); }
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
        for (const send_part& part : over.sent) CHECK(part.data == memory.at(part.area) + part.offset);
        for (const receive_part& part : over.received) CHECK(part.data == memory.at(part.area) + part.offset);
        return over;
    };
    const kept_posts exchange = check(plan(alltoall::bruck{.ranks = 5, .block = 4}, 1));
    CHECK(exchange.sent.size() > 3);
    const kept_posts combining = check(plan(allreduce::recursive_doubling{.ranks = 4, .bytes = 8}, 2));
    CHECK(combining.received.front().area == memory_area::output);  // folded
    CHECK(combining.received.back().area == memory_area::staging);
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
