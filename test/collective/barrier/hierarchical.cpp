#include "collsched/collective/barrier/hierarchical.hpp"

#include <doctest/doctest.h>

#include "collsched/collective/barrier/over_tree.hpp"
#include "collsched/core/bits.hpp"
#include "collsched/tree/chain.hpp"
#include "support/barriers.hpp"
#include "support/hierarchies.hpp"
#include "support/parameters.hpp"
#include "support/verified.hpp"

using namespace collsched;

namespace {

template <rank_t Ranks>
constexpr bool proved_at =
    proved<verify(barrier::hierarchical<>{.ranks = Ranks, .placement = support::awkward_placement<Ranks>()})>;

}  // namespace

static_assert(support::has_parameters<barrier::hierarchical<>>());
static_assert(proved_at<2> && proved_at<3> && proved_at<5> && proved_at<8> && proved_at<12>);

TEST_CASE("barrier::hierarchical: correct for any placement, and every signal is needed for few ranks") {
    support::for_each_placement(64, [](rank_t p, const support::named_placement& on) {
        INFO(on.name, " p=", p);
        const barrier::hierarchical<> x{.ranks = p, .placement = on.where};
        const barrier::hierarchical<barrier::linear, trees::flat> y{.ranks = p, .placement = on.where};
        CHECK(support::verified(x) == verdict{});
        CHECK(support::verified(y) == verdict{});
        CHECK(lower(x).contract() == contract{.collective = collective::barrier, .ranks = p});
        if (p > 20) return;
        CHECK(support::all_ranks_reached(materialize(x)));
        CHECK(support::all_ranks_reached(materialize(y)));
        if (support::crowd(on.where, p).nodes <= 2) support::check_every_signal_counts(x);
    });
}

TEST_CASE(
    "barrier::hierarchical: rounds are 2 x those of the tree of the largest node + those of the barrier among nodes") {
    support::for_each_placement(100, [](rank_t p, const support::named_placement& on) {
        INFO(on.name, " p=", p);
        const support::crowd crowd(on.where, p);
        const metrics_report m = support::measured(barrier::hierarchical<>{.ranks = p, .placement = on.where});
        CHECK(m.rounds == 2 * ceil_log2(crowd.fullest) + ceil_log2(crowd.nodes));
        CHECK(m.signals == m.transfers);
        CHECK(m.signals == 2 * (p - crowd.nodes) + crowd.nodes * ceil_log2(crowd.nodes));
    });
}

TEST_CASE("barrier::hierarchical: wrong parameters are reported") {
    support::check_placement_errors(barrier::hierarchical<>{});
}
