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
    int post_send(const message_key& key, std::span<const send_part> parts) {
        keys.push_back(key);
        return mock_network::endpoint::post_send(key, parts);
    }
    std::vector<message_key> keys;
};

}  // namespace

TEST_CASE("execution_options: channel, epoch and fingerprint are those of the posted messages") {
    const plan two(allgather::ring{.ranks = 2, .block = 4}, 0);
    std::byte input[4] = {}, output[8] = {};
    for (const bool compare : {false, true}) {
        mock_network network(2);
        noting endpoint(network.at(0));
        execution run(two, endpoint, {.channel = 7, .epoch = 40, .compare = compare});
        for (int start = 0; start < 2; ++start) {
            run.start({input, output});
            run.cancel();
        }
        REQUIRE(endpoint.keys.size() == 2);
        for (std::size_t i = 0; i < 2; ++i) {
            CHECK(endpoint.keys[i].channel == 7);
            CHECK(endpoint.keys[i].epoch == 40 + i);
            CHECK(endpoint.keys[i].fingerprint == (compare ? two.fingerprint() : 0));
        }
    }
}

TEST_CASE("execution_options: by default channel and epoch are 0, and nothing is limited or called") {
    constexpr execution_options none;
    static_assert(none.channel == 0 && none.epoch == 0 && none.compare);
    static_assert(none.limits.sends == 0 && none.limits.receives == 0);
    CHECK((none.on_end == nullptr && none.on_end_context == nullptr));
    constexpr awaited_operation awaited;
    static_assert(awaited.step == 0 && awaited.peer == 0 && awaited.bytes == 0 && !awaited.sends);
}
