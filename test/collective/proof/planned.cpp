// A fixed cluster of 8 nodes, planned and proved at compile time.

#include "collsched/collective/broadcast/planned.hpp"
#include "collsched/collective/gather/planned.hpp"
#include "collsched/tree/planners/all.hpp"
#include "collsched/verify/verify.hpp"

using namespace collsched;

namespace {

constexpr rank_t parents[] = {0, 0, 1, 1, 2}, homes[] = {3, 3, 4, 4, 4, 5, 5, 2};
constexpr picoseconds overheads[] = {5, 9, 4, 7, 6, 8, 3, 10};
constexpr lob_model::link_cost own[] = {{2, 4}, {1, 5}, {3, 4}, {2, 6}, {1, 4}, {2, 5}, {4, 7}, {3, 4}};
constexpr lob_model::link_cost uplinks[] = {{}, {30, 9}, {40, 8}, {10, 6}, {12, 5}, {15, 7}};

constexpr lob_model eight() { return {topology::switch_tree(parents, homes), overheads, own, uplinks}; }

template <class Planner>
constexpr bool broadcasts =
    verify(broadcast::planned<Planner>{.ranks = 8, .root = 1, .bytes = 1001, .cluster = eight()}).ok();

static_assert(broadcasts<planners::flat_tree> && broadcasts<planners::binomial> && broadcasts<planners::fnf>);
static_assert(broadcasts<planners::fef> && broadcasts<planners::fcef> && broadcasts<planners::la>);
static_assert(broadcasts<planners::mgo> && broadcasts<planners::magpie> && broadcasts<planners::mpich_g> &&
              broadcasts<planners::eco>);
static_assert(verify(gather::planned<planners::mgo>{.ranks = 8, .root = 1, .block = 100, .cluster = eight()}).ok());
static_assert(
    verify(reduce::planned<planners::mgo>{.ranks = 8, .root = 1, .bytes = 100, .of = {.cluster = eight()}}).ok());

constexpr tree_plan::request ask() { return {eight().switches(), eight(), 1001, 1}; }
constexpr picoseconds best = planners::optimal{}(ask()).completion;
static_assert(best == 144 && planners::mgo{}(ask()).completion >= best);
static_assert(many_to_one(planners::optimal{}, ask()).completion <= many_to_one(planners::mgo{}, ask()).completion);

}  // namespace
