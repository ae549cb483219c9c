#include "collsched/cost/concepts.hpp"

#include <doctest/doctest.h>

#include <limits>

using namespace collsched;

static_assert(byte_fs_of(125) == 8'000'000 && byte_fs_of(12.5) == 80'000'000 && byte_fs_of(2e9) == 1 &&
              byte_fs_of(1500) == 666'667);
static_assert(ps_of_us(0.5) == 500'000 && ps_of_us(1.0000006) == 1'000'001 && ps_of_us(0) == 0);

namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

}  // namespace

TEST_CASE("picoseconds: a stream lasts from the first to the last byte of a message") {
    CHECK(detail::stream_at(0, 5'000).value() == 0);
    CHECK(detail::stream_at(1, 5'000).value() == 0);
    CHECK(detail::stream_at(2, 5'000).value() == 5);
    CHECK(detail::stream_at(1'001, 1'500).value() == 1'500);
}

TEST_CASE("picoseconds: bytes times a rate, rounded down to picoseconds") {
    for (bytes_t m = 0; m < 5'000; m += 7)
        for (std::int64_t rate = 0; rate < 5'000; rate += 13) CHECK(time_at(m, rate).value() == m * rate / 1'000);
    CHECK(time_at(most, 1'000).value() == most);
    CHECK(time_at(1'000, most).value() == most);
    CHECK(time_at(most, 999).value() == most / 1'000 * 999 + most % 1'000 * 999 / 1'000);
    CHECK(!time_at(most, 1'001).ok());
    CHECK(!time_at(1'001, most).ok());
    CHECK(!time_at(most, most).ok());
}
