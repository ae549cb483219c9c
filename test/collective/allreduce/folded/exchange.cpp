#include "collsched/collective/allreduce/folded.hpp"

#include <doctest/doctest.h>

#include <string>

#include "support/allreduces.hpp"
#include "support/brief.hpp"
#include "support/parameters.hpp"
#include "support/verified.hpp"

using namespace collsched;
using allreduce::detail::exchange;

namespace {

template <std::int64_t Radix>
constexpr auto by = [](rank_t p, bytes_t bytes, bytes_t element) {
    return exchange{.ranks = p, .bytes = bytes, .element = element, .radix = Radix};
};

}  // namespace

static_assert(support::has_parameters<allreduce::detail::exchange>({{"radix", 2}}));
static_assert(edge_algorithm<exchange> && !exchange::info.commutative);
static_assert(support::allreduce_proved_for<by<2>, 1, 2, 4, 8, 16>);
static_assert(support::allreduce_proved_for<by<3>, 1, 2, 3, 9> && support::allreduce_proved_for<by<4>, 1, 2, 3, 4, 16>);
static_assert(support::allreduce_proved_for<by<7>, 1, 2, 3, 4, 5, 6, 7>);

TEST_CASE("exchange: operands in order and the same bits on all ranks, for powers of the radix and fewer ranks") {
    CHECK(support::check_allreduce(by<2>, true, 128) == 8);
    CHECK(support::check_allreduce(by<3>, true, 81) == 6);  // 1, 2, 3, 9, 27, 81
    CHECK(support::check_allreduce(by<4>, true, 64) == 6);  // 1, 2, 3, 4, 16, 64
    CHECK(support::check_allreduce(by<5>, true, 25) == 6);
    CHECK(support::check_allreduce(by<16>, true, 17) == 16);
    support::check_sums(by<2>);
    support::check_sums(by<4>);
}

TEST_CASE(
    "exchange: log_k p rounds of k-1 messages of m bytes per rank, no scratch for groups of two, else k m bytes") {
    for (std::int64_t radix = 2; radix <= 16; ++radix)
        for (rank_t p = 1, rounds = 0; p <= 300; p *= radix, ++rounds) {
            CAPTURE(radix);
            CAPTURE(p);
            const exchange x{.ranks = p, .bytes = 24, .element = 8, .radix = radix};
            const bytes_t all = 24 * (radix - 1) * rounds;
            support::check_traffic(x, rounds, all, all);
            const metrics_report m = support::measured(x);
            CHECK(m.messages == p * (radix - 1) * rounds);
            CHECK(m.steps == 1 + rounds * (radix > 2 ? 3 : 1));
            CHECK(m.scratch[p - 1] == (radix > 2 && p > 1 ? radix * 24 : 0));
        }
}

TEST_CASE("exchange: the largest accepted number of ranks") {
    for (std::int64_t radix = 2; radix <= 20; ++radix)
        for (rank_t p = 1; p <= support::most(300); ++p) {
            const std::int64_t base = p <= 2 ? 2 : std::min(radix, p);
            rank_t most = 1;
            while (most * base <= p) most *= base;
            CHECK(exchange::power_up_to(p, radix) == most);
            CHECK(!check(exchange{.ranks = most, .bytes = 8, .radix = radix}));
        }
}

TEST_CASE("exchange: wrong parameters are reported") {
    CHECK(check(exchange{.ranks = 6, .bytes = 8}).argument == std::string("ranks"));
    CHECK(check(exchange{.ranks = 4, .bytes = 8, .radix = 1}).argument == std::string("radix"));
    CHECK(check(exchange{.ranks = 4, .bytes = 8, .element = 3}).argument == std::string("element"));
    CHECK(check(exchange{.ranks = 9, .bytes = bytes_t{1} << 62, .radix = 3}).argument == std::string("bytes"));
    CHECK(!check(exchange{.ranks = 4, .bytes = bytes_t{1} << 62}));
    constexpr bytes_t most = INT64_MAX / 3;
    CHECK(!check(exchange{.ranks = 9, .bytes = most, .radix = 3}));
    CHECK(check(exchange{.ranks = 9, .bytes = most + 1, .radix = 3}).expected ==
          std::string("radix * bytes below 2^63"));
}
