#include "collsched/collective/barrier/double_ring.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "collsched/verify/verify.hpp"
#include "support/barriers.hpp"
#include "support/brief.hpp"
#include "support/busy_steps.hpp"
#include "support/parameters.hpp"
#include "support/verified.hpp"

using namespace collsched;

namespace {

template <rank_t... I>
constexpr bool proved_up_to(std::integer_sequence<rank_t, I...>) {
    return (proved<verify(barrier::double_ring{.ranks = I + 1})> && ...);
}

}  // namespace

static_assert(support::has_parameters<barrier::double_ring>());
static_assert(edge_algorithm<barrier::double_ring>);
static_assert(proved_up_to(std::make_integer_sequence<rank_t, 17>{}));

TEST_CASE("barrier::double_ring: every rank is reached, by 2 (p-1) signals in as many rounds") {
    for (rank_t p = 1; p <= support::most(150); ++p) {
        CAPTURE(p);
        const barrier::double_ring b{.ranks = p};
        REQUIRE(support::verified(b).ok());
        if (p <= 66) CHECK(support::all_ranks_reached(materialize(b)));
        const metrics_report m = support::measured(b);
        CHECK(m.rounds == 2 * (p - 1));
        CHECK(m.steps == m.rounds);
        CHECK(m.signals == 2 * (p - 1));
        CHECK(m.messages == m.signals);
    }
}

TEST_CASE("barrier::double_ring: the signal visits the ranks in order, twice") {
    for (rank_t p = 2; p <= support::most(40); ++p) {
        rank_t place = 0;
        std::vector<edge> signals(static_cast<std::size_t>(2 * (p - 1)));
        for (const edge& e : edges(barrier::double_ring{.ranks = p})) signals.at(static_cast<std::size_t>(e.step)) = e;
        for (const edge& e : signals) {
            CHECK(e.is_signal());
            CHECK(e.src == place);
            place = place + 1 == p ? 0 : place + 1;
            CHECK(e.dst == place);
        }
        CHECK(place == (p == 2 ? 0 : p - 2));
    }
}

TEST_CASE("barrier::double_ring: every signal is needed") {
    for (rank_t p = 1; p <= 20; ++p) support::check_every_signal_counts(barrier::double_ring{.ranks = p});
}

TEST_CASE("barrier::double_ring: a rank is busy in the steps of its four signals alone") {
    for (rank_t p = 1; p <= 40; ++p) CHECK(support::busy_in_used_steps(lower(barrier::double_ring{.ranks = p})));
}

TEST_CASE("barrier::double_ring: 1 to 2^61 ranks are accepted") {
    CHECK(std::string(check(barrier::double_ring{.ranks = 0}).argument) == "ranks");
    CHECK(check(barrier::double_ring{.ranks = (rank_t{1} << 61) + 1}).value == (rank_t{1} << 61) + 1);
    CHECK(!check(barrier::double_ring{.ranks = rank_t{1} << 61}));
}
