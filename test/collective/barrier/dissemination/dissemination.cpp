#include "collsched/collective/barrier/dissemination.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "collsched/verify/verify.hpp"
#include "support/barriers.hpp"
#include "support/block_counts.hpp"
#include "support/brief.hpp"
#include "support/parameters.hpp"
#include "support/small_schedules.hpp"
#include "support/verified.hpp"

using namespace collsched;

namespace {

template <std::int64_t Radix, rank_t... I>
constexpr bool proved_up_to(std::integer_sequence<rank_t, I...>) {
    return (proved<verify(barrier::dissemination{.ranks = I + 1, .radix = Radix})> && ...);
}

}  // namespace

static_assert(support::has_parameters<barrier::dissemination>({{"radix", 2}}));
static_assert(edge_algorithm<barrier::dissemination>);
static_assert(proved_up_to<2>(std::make_integer_sequence<rank_t, 17>{}));
static_assert(proved_up_to<3>(std::make_integer_sequence<rank_t, 17>{}));
static_assert(proved_up_to<16>(std::make_integer_sequence<rank_t, 17>{}));
static_assert(proved<verify(barrier::dissemination{.ranks = 100})>);

TEST_CASE("barrier::dissemination: every rank is reached in ceil(log_k p) rounds of at most k-1 signals per rank") {
    for (rank_t p = 1; p <= support::most(300); p += p < 66 ? 1 : 39)
        for (const std::int64_t radix : {2, 3, 4, 7, 64, 1000}) {
            CAPTURE(p);
            CAPTURE(radix);
            const barrier::dissemination b{.ranks = p, .radix = radix};
            REQUIRE(support::verified(b).ok());
            if (p <= 40) CHECK(support::all_ranks_reached(materialize(b)));
            const metrics_report m = support::measured(b);
            step_t rounds = 0;
            std::int64_t signals = 0;
            for (rank_t weight = 1; weight < p; weight *= radix, ++rounds)
                signals += p * std::min<rank_t>(radix - 1, (p - 1) / weight);
            CHECK(m.rounds == rounds);
            CHECK(m.steps == rounds);
            CHECK(m.signals == signals);
            CHECK(m.messages == signals);
            CHECK(m.max_in_degree <= radix - 1);
            CHECK(m.max_out_degree <= radix - 1);
        }
}

TEST_CASE("barrier::dissemination: signals go up by every digit of the round") {
    for (rank_t p = 1; p <= 33; ++p) {
        CHECK(support::same_edges(barrier::dissemination{.ranks = p}, support::dissemination_barrier(p)));
        std::set<std::pair<step_t, rank_t>> wanted;
        step_t round = 0;
        for (rank_t weight = 1; weight < p; weight *= 5, ++round)
            for (rank_t digit = 1; digit < 5 && digit * weight < p; ++digit) wanted.insert({round, digit * weight});
        for (rank_t r = 0; r < p; ++r) {
            std::set<std::pair<step_t, rank_t>> sent;
            for (const edge& e : program(barrier::dissemination{.ranks = p, .radix = 5}, r))
                if (e.src == r) sent.insert({e.step, (e.dst - r + p) % p});
            CHECK(sent == wanted);
        }
    }
}

TEST_CASE("barrier::dissemination: every signal is needed if p is a power of the radix") {
    for (const std::int64_t radix : {2, 4, 16}) support::check_every_signal_counts(barrier::dissemination{16, radix});
    for (const rank_t p : {1, 3, 9, 27}) support::check_every_signal_counts(barrier::dissemination{p, 3});
}

TEST_CASE("barrier::dissemination: a radix is 2 or more, and 10^12 ranks take no time") {
    CHECK(std::string(check(barrier::dissemination{.ranks = 4, .radix = 1}).argument) == "radix");
    CHECK(std::string(check(barrier::dissemination{.ranks = 0}).argument) == "ranks");
    const rank_t p = 1000000000000;
    std::int64_t signals = 0;
    for (const edge& e : program(barrier::dissemination{.ranks = p, .radix = 10}, p - 1)) signals += e.src == p - 1;
    CHECK(signals == 12 * 9);
    CHECK(fingerprint(barrier::dissemination{.ranks = 4}) != fingerprint(barrier::dissemination{4, 3}));
}
