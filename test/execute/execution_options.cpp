#include "collsched/execute/execution_options.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "collsched/collective/allgather/ring.hpp"
#include "collsched/execute/engine.hpp"
#include "collsched/execute/inline.hpp"

using namespace collsched;

namespace {

struct noting : mock_network::endpoint {
    explicit noting(mock_network::endpoint inner) : mock_network::endpoint(inner) {}
    int post_send(const message::key& key, std::span<const message::send_part> parts) {
        keys.push_back(key);
        return mock_network::endpoint::post_send(key, parts);
    }
    std::vector<message::key> keys;
};

/// Rank 0 of two, which notes the keys of its sends.
struct noting_rank {
    explicit noting_rank(bool compare) : run(two, endpoint, {.channel = 7, .epoch = 40, .compare = compare}) {}
    /// Starts as `run` does, and gives up.
    void start(auto... name) {
        run.start({input, output}, {}, name...);
        run.cancel();
    }

    const plan two{allgather::ring{.ranks = 2, .block = 4}, 0};
    std::byte input[4] = {}, output[8] = {};
    mock_network network{2};
    noting endpoint{network.at(0)};
    execution<noting> run;
};

}  // namespace

TEST_CASE("execution_options: channel, epoch and fingerprint are those of the posted messages") {
    for (const bool compare : {false, true}) {
        noting_rank zero(compare);
        zero.start();
        zero.start();
        REQUIRE(zero.endpoint.keys.size() == 2);
        for (std::size_t i = 0; i < 2; ++i) {
            CHECK(zero.endpoint.keys[i].channel == 7);
            CHECK(zero.endpoint.keys[i].epoch == 40 + i);
            CHECK(zero.endpoint.keys[i].fingerprint == (compare ? zero.two.fingerprint() : 0));
        }
    }
}

TEST_CASE("start_name: messages have the caller's number, and the fingerprint the values") {
    for (const bool compare : {false, true}) {
        noting_rank zero(compare);
        zero.start(execution_options::start_name{.number = 1000, .values = 5});
        CHECK(zero.run.epoch() == 1001);
        zero.start(execution_options::start_name{.number = 12, .values = 6});
        zero.start();
        REQUIRE(zero.endpoint.keys.size() == 3);
        const std::uint64_t own = compare ? zero.two.fingerprint() : 0;
        constexpr std::uint64_t numbers[] = {1000, 12, 13}, values[] = {5, 6, 6};
        for (std::size_t i = 0; i < 3; ++i) {
            CHECK(zero.endpoint.keys[i].epoch == numbers[i]);
            CHECK(zero.endpoint.keys[i].fingerprint == own + values[i]);
        }
    }
}

TEST_CASE("start_name: ranks with other executions meet by the number, and not with other values") {
    for (const std::uint64_t values : {0U, 1U}) {
        mock_network network(2);
        const allgather::ring ring{.ranks = 2, .block = 4};
        std::byte input[2][4] = {{std::byte{1}}, {std::byte{2}}}, output[2][8] = {};
        mock_network::endpoint endpoints[] = {network.at(0), network.at(1)};
        const plan plans[] = {{ring, 0}, {ring, 1}};
        execution first(plans[0], endpoints[0], {.epoch = 3}), second(plans[1], endpoints[1], {.epoch = 9});
        first.start({input[0], output[0]}, {}, {.number = 77});
        second.start({input[1], output[1]}, {}, {.number = 77, .values = values});
        for (int turn = 0; turn < 20; ++turn) {
            first.progress();
            second.progress();
        }
        CHECK(first.state().done() == (values == 0));
        CHECK(second.state().done() == (values == 0));
        if (values != 0) CHECK(first.state().error == mock_network::error::disagreement);
        else CHECK(output[0][4] == std::byte{2});
    }
}

TEST_CASE("start_name: a start while running fails, whatever its name") {
    const plan two(allgather::ring{.ranks = 2, .block = 4}, 0);
    std::byte input[4] = {}, output[8] = {};
    mock_network network(2);
    mock_network::endpoint endpoint = network.at(0);
    execution run(two, endpoint);
    run.start({input, output});
    run.start({input, output}, {}, {.number = 8});
    CHECK(run.state().error == already_running);
    CHECK(run.epoch() == 1);
}

TEST_CASE("execution_options: by default channel and epoch are 0, and nothing is limited or called") {
    constexpr execution_options none;
    static_assert(none.channel == 0 && none.epoch == 0 && none.compare);
    static_assert(none.limits.sends == 0 && none.limits.receives == 0);
    CHECK((none.on_end == nullptr && none.on_end_context == nullptr));
    constexpr detail::awaited_operation awaited;
    static_assert(awaited.step == 0 && awaited.peer == 0 && awaited.bytes == 0 && !awaited.sends);
}
