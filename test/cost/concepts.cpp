#include "collsched/cost/concepts.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <vector>

#include "collsched/cost/lob.hpp"
#include "collsched/cost/loggp.hpp"

using namespace collsched;

namespace {

struct half_a_model {
    constexpr checked sending(rank_t, rank_t, bytes_t, bool) const { return 0; }
    constexpr argument_error check() const { return {}; }
};

}  // namespace

static_assert(message_cost<loggp_model> && message_cost<lob_model> && !message_cost<half_a_model>);

TEST_CASE("cost model concepts: a model for a number of ranks is none for others") {
    const lob_model two(std::vector<std::int64_t>{1, 1}, std::vector<std::int64_t>(4), std::vector<std::int64_t>(4));
    CHECK(!detail::check_model(two, 2));
    CHECK(detail::check_model(two, 3) == argument_error{"ranks", 3, "as many ranks as the model has"});
    CHECK(!detail::check_model(loggp_model{}, 3));
    CHECK(detail::check_model(loggp_model{.latency_ps = -1}, 3).value == -1);
}

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
