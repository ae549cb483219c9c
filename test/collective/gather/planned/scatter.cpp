#include "collsched/collective/gather/planned.hpp"

#include "collsched/tree/planners/mgo.hpp"
#include "support/parameters.hpp"
#include "support/planned_blocks.hpp"

using namespace collsched;

static_assert(support::has_parameters<scatter::planned<planners::mgo>>());

namespace {

constexpr auto planned_scatter = [](rank_t ranks, rank_t root, const block_layout& block, const lob_model& cluster) {
    return scatter::planned<planners::mgo>{.ranks = ranks, .root = root, .block = block, .of = {.cluster = cluster}};
};

}  // namespace

TEST_CASE("scatter::planned: correct on every cluster for every layout") {
    support::check_planned_blocks(planned_scatter);
}

TEST_CASE("scatter::planned: a cluster of another size and wrong blocks are rejected") {
    support::check_planned_refusals(planned_scatter);
}
