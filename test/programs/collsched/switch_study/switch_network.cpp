#include "examples/programs/collsched/switch_study/switch_network.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>

using namespace collsched;
using namespace collsched::switch_study;

namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

std::string refused(const switch_network& network) {
    const argument_error error = network.check();
    return error ? error.argument : "";
}

}  // namespace

TEST_CASE("switch_network: a network without arguments is valid") {
    CHECK_FALSE(switch_network{}.check());
    CHECK_FALSE(switch_network{.send_byte_fs = 0, .receive_byte_fs = 0, .latency_ps = 0, .timeout_ps = 1}.check());
    CHECK(switch_network{} == switch_network{});
    CHECK_FALSE(switch_network{} == switch_network{.window = 2});
}

TEST_CASE("switch_network: every number has its least value") {
    CHECK(refused({.send_byte_fs = -1}) == "send_byte_fs");
    CHECK(refused({.receive_byte_fs = -1}) == "receive_byte_fs");
    CHECK(refused({.latency_ps = -1}) == "latency_ps");
    CHECK(refused({.packet = 0}) == "packet");
    CHECK(refused({.packet = 1'000, .buffer = 999}) == "buffer");
    CHECK(refused({.packet = 1'000, .buffer = 1'000}).empty());
    CHECK(refused({.window = 0}) == "window");
    CHECK(refused({.latency_ps = 7, .timeout_ps = 6}) == "timeout_ps");
    CHECK(refused({.latency_ps = 0, .timeout_ps = 0}) == "timeout_ps");
    CHECK(refused({.timeout_ps = 200'000'000'000, .timeout_limit_ps = 199'999'999'999}) == "timeout_limit_ps");
    CHECK(refused({.send_byte_fs = most, .packet = 2'000, .buffer = 2'000}) == "packet");
    CHECK(refused({.receive_byte_fs = most, .packet = 2'000, .buffer = 2'000}) == "packet");
}

TEST_CASE("switch_network: timeouts double up to their limit") {
    constexpr switch_network growing{.latency_ps = 0, .timeout_ps = 10, .timeout_limit_ps = 75};
    CHECK(growing.timeout(0) == 10);
    CHECK(growing.timeout(1) == 20);
    CHECK(growing.timeout(2) == 40);
    CHECK(growing.timeout(3) == 75);
    CHECK(growing.timeout(most) == 75);
    constexpr switch_network steady{.latency_ps = 0, .timeout_ps = 10, .timeout_limit_ps = 10};
    for (std::int64_t n = 0; n < 5; ++n) CHECK(steady.timeout(n) == 10);
    CHECK(switch_network{.latency_ps = 0, .timeout_ps = 1, .timeout_limit_ps = most}.timeout(62) == (most >> 1) + 1);
    CHECK(switch_network{.latency_ps = 0, .timeout_ps = 1, .timeout_limit_ps = most}.timeout(63) == most);
}
