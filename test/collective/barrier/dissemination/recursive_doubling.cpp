#include "collsched/collective/barrier/dissemination.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "collsched/core/bits.hpp"
#include "collsched/verify/verify.hpp"
#include "support/barriers.hpp"
#include "support/brief.hpp"
#include "support/parameters.hpp"
#include "support/verified.hpp"

using namespace collsched;

namespace {

template <rank_t... I>
constexpr bool proved_up_to(std::integer_sequence<rank_t, I...>) {
    return (proved<verify(barrier::recursive_doubling{.ranks = I + 1})> && ...);
}

}  // namespace

static_assert(support::has_parameters<barrier::recursive_doubling>());
static_assert(edge_algorithm<barrier::recursive_doubling>);
static_assert(proved_up_to(std::make_integer_sequence<rank_t, 33>{}));

TEST_CASE("barrier::recursive_doubling: every rank is reached, and rounds and signals equal their formulas") {
    for (rank_t p = 1; p <= support::most(300); ++p) {
        CAPTURE(p);
        const barrier::recursive_doubling b{.ranks = p};
        REQUIRE(support::verified(b).ok());
        if (p <= 66) CHECK(support::all_ranks_reached(materialize(b)));
        const metrics_report m = support::measured(b);
        const rank_t power = floor_power_of_two(p);
        CHECK(m.rounds == floor_log2(p) + (p == power ? 0 : 2));
        CHECK(m.steps == m.rounds);
        CHECK(m.signals == power * floor_log2(p) + 2 * (p - power));
        CHECK(m.messages == m.signals);
        CHECK(m.max_in_degree <= 1);
        CHECK(m.max_out_degree <= 1);
    }
}

TEST_CASE(
    "barrier::recursive_doubling: partners differ in one bit, the lowest first, and guests are beside their hosts") {
    for (rank_t p = 1; p <= support::most(40); ++p) {
        const rank_t power = floor_power_of_two(p), guests = p - power;
        const step_t folds = guests > 0 ? 1 : 0;
        const auto number = [&](rank_t r) { return r < 2 * guests ? r / 2 : r - guests; };
        for (const edge& e : edges(barrier::recursive_doubling{.ranks = p})) {
            CHECK(e.is_signal());
            const step_t round = e.step - folds;
            if (round < 0 || round >= floor_log2(p)) {
                const rank_t guest = round < 0 ? e.src : e.dst, host = round < 0 ? e.dst : e.src;
                CHECK(guest == host + 1);
                CHECK(host % 2 == 0);
                CHECK(guest < 2 * guests);
            } else {
                CHECK((number(e.src) ^ number(e.dst)) == rank_t{1} << round);
            }
        }
    }
}

TEST_CASE("barrier::recursive_doubling: every signal is needed") {
    for (rank_t p = 1; p <= 20; ++p) support::check_every_signal_counts(barrier::recursive_doubling{.ranks = p});
}

TEST_CASE("barrier::recursive_doubling: at least one rank is required") {
    CHECK(std::string(check(barrier::recursive_doubling{.ranks = 0}).argument) == "ranks");
}
