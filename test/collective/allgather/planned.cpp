#include "collsched/collective/allgather/planned.hpp"

#include "collsched/tree/planners/mgo.hpp"
#include "support/parameters.hpp"
#include "support/planned_blocks.hpp"

using namespace collsched;

namespace {

constexpr auto planned_over = [](rank_t ranks, rank_t root, const block_layout& block, const lob_model& cluster) {
    return allgather::planned<planners::mgo>{.ranks = ranks, .root = root, .block = block, .cluster = cluster};
};

}  // namespace

static_assert(support::has_parameters<allgather::planned<planners::mgo>>());

TEST_CASE("allgather::planned: correct on every cluster for every layout") {
    support::check_planned_blocks(planned_over);
}

TEST_CASE("allgather::planned: a cluster of another size and wrong blocks are rejected") {
    support::check_planned_refusals(planned_over);
}
