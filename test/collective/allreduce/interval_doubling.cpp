#include "collsched/collective/allreduce/interval_doubling.hpp"

#include <doctest/doctest.h>

#include <string>

#include "support/allreduces.hpp"
#include "support/bracketings.hpp"
#include "support/brief.hpp"
#include "support/parameters.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(support::has_parameters<allreduce::interval_doubling>({{"radix", 2}}));
static_assert(support::allreduce_proved_up_to<support::of_bytes<allreduce::interval_doubling>, 9>);
static_assert(proved<verify(allreduce::interval_doubling{.ranks = 7, .bytes = 3, .radix = 4})>);

namespace {

template <std::int64_t Radix>
constexpr auto of_radix = [](rank_t p, bytes_t bytes, bytes_t element) {
    return allreduce::interval_doubling{.ranks = p, .bytes = bytes, .element = element, .radix = Radix};
};

}  // namespace

TEST_CASE(
    "allreduce::interval_doubling: correct for every number of ranks, in order, with the same bits on all ranks") {
    CHECK(support::check_allreduce(of_radix<2>, true) == 64);
    CHECK(support::check_allreduce(of_radix<4>, true) == 64);
    CHECK(support::check_allreduce(of_radix<16>, true, 40) == 40);
    support::check_sums(of_radix<2>);
    support::check_sums(of_radix<4>);
}

TEST_CASE("allreduce::interval_doubling: every byte is the canonical tree, for every radix") {
    for (rank_t p = 1; p <= support::most(40); ++p)
        for (const std::int64_t radix : {2, 4, 8, 64})
            for (const auto binding : {binding::separate, binding::in_place}) {
                CAPTURE(p);
                CAPTURE(radix);
                const allreduce::interval_doubling x{.ranks = p, .bytes = 2, .radix = radix};
                CHECK(support::wrong_tree(x, binding) == "");
            }
    for (const rank_t p : {64, 100})
        CHECK(support::wrong_tree(allreduce::interval_doubling{.ranks = p, .bytes = 1}, binding::separate) == "");
}

TEST_CASE(
    "allreduce::interval_doubling: ceil(log2 p) rounds and as many messages received, at most twice as many sent") {
    for (rank_t p = 1; p <= support::most(130); ++p) {
        CAPTURE(p);
        const metrics_report m = support::measured(allreduce::interval_doubling{.ranks = p, .bytes = 8});
        CHECK(m.rounds == ceil_log2(p));
        CHECK(m.max_in_degree <= 1);
        CHECK(m.max_out_degree <= (is_power_of_two(p) ? 1 : 2));
        for (rank_t r = 0; r < p; ++r) {
            CHECK(m.bytes_received[r] >= 8 * floor_log2(p));
            CHECK(m.bytes_received[r] <= 8 * ceil_log2(p));
            CHECK(m.bytes_sent[r] <= 16 * ceil_log2(p));
            CHECK(m.scratch[r] == 0);
        }
    }
}

TEST_CASE("allreduce::interval_doubling: k-1 rounds for log2 k levels, and k m bytes of scratch") {
    for (const std::int64_t radix : {4, 8}) {
        const int levels = floor_log2(radix);
        const metrics_report m =
            support::measured(allreduce::interval_doubling{.ranks = 64, .bytes = 8, .radix = radix});
        CHECK(m.rounds == (radix - 1) * (6 / levels));
        CHECK(m.scratch[63] == 8 * radix);
    }
    CHECK(support::measured(allreduce::interval_doubling{.ranks = 9, .bytes = 8, .radix = 1024}).scratch[0] == 128);
}

TEST_CASE("allreduce::interval_doubling: wrong parameters are reported") {
    using x = allreduce::interval_doubling;
    CHECK(std::string(check(x{.ranks = 4, .bytes = 8, .radix = 3}).text().c_str()) ==
          "radix: got 3, expected a power of two, 2 or more");
    CHECK(check(x{.ranks = 4, .bytes = 8, .radix = 1}).argument == std::string("radix"));
    CHECK(check(x{.ranks = 0}).argument == std::string("ranks"));
    CHECK(check(x{.ranks = 4, .bytes = INT64_MAX, .radix = 4}).argument == std::string("bytes"));
    CHECK(!check(x{.ranks = 4, .bytes = INT64_MAX, .radix = 2}));
    CHECK(!check(x{.ranks = 4, .bytes = INT64_MAX / 4, .radix = 4}));
    CHECK(check(x{.ranks = 4, .bytes = INT64_MAX / 4 + 1, .radix = 4}).expected ==
          std::string("radix * bytes below 2^63"));
}
