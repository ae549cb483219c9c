#include "collsched/collective/scatter/planned.hpp"

#include "collsched/tree/planners/mgo.hpp"
#include "support/planned_blocks.hpp"

using namespace collsched;

namespace {

constexpr auto make = [](rank_t ranks, rank_t root, const block_layout& block, const cluster_model& cluster) {
    return scatter::planned<planners::mgo>{.ranks = ranks, .root = root, .block = block, .cluster = cluster};
};

}  // namespace

TEST_CASE("scatter::planned: correct on every cluster for every layout") { support::check_planned_blocks(make); }

TEST_CASE("scatter::planned: a cluster of another size and wrong blocks are rejected") {
    support::check_planned_refusals(make);
}
