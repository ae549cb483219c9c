#include "collsched/collective/scan/detail/in_phases.hpp"
#include "support/brief.hpp"

#include <doctest/doctest.h>

#include <initializer_list>

using namespace collsched;

namespace {

/// The steps of the phases that have edges, counted rank by rank: copies of inner ranks, rounds, and combinations of ranks
/// that receive in a round and send in the next one.
step_t counted(rank_t p, bool copies) {
    step_t steps = copies || p > 2 ? 1 : 0;
    for (rank_t distance = 1; distance < p; distance *= 2) {
        ++steps;
        bool combines = false;
        for (rank_t r = distance; r + 2 * distance < p; ++r) combines = true;
        if (combines) ++steps;
    }
    return steps;
}

}  // namespace

TEST_CASE("prefix_phases: one step for copies, one per round, and one where a rank that has received sends next") {
    for (rank_t p = 1; p <= support::most(300); ++p)
        for (const bool copies : {false, true}) {
            CAPTURE(p);
            CHECK(scan::detail::prefix_phases(p, copies).steps() == counted(p, copies));
        }
}
