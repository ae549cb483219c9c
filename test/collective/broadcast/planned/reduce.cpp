#include "collsched/collective/broadcast/planned.hpp"

#include <doctest/doctest.h>

#include "collsched/tree/planners/mgo.hpp"
#include "support/clusters.hpp"
#include "support/parameters.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(support::has_parameters<reduce::planned<planners::mgo>>());

TEST_CASE("reduce::planned: correct on every cluster for operands in any order") {
    for (const rank_t p : {1, 2, 3, 8, 13})
        for (const lob_model& cluster : support::clusters(p))
            for (const rank_t root : {rank_t{0}, p - 1})
                for (const bytes_t segment : {0, 8}) {
                    const reduce::planned<planners::mgo> planned{.ranks = p,
                                                                 .root = root,
                                                                 .bytes = 64,
                                                                 .element = 8,
                                                                 .of = {.segment = segment, .cluster = cluster}};
                    CHECK(lower(planned).contract().commutative);
                    CHECK(support::verified(planned).ok());
                    CHECK(support::verified(planned, binding::in_place).ok());
                }
}

TEST_CASE("reduce::planned: uses the tree that is planned for messages to the root") {
    const lob_model cluster = support::clusters(9)[1];
    const tree_plan plan = many_to_one(planners::mgo{}, {cluster.switches(), cluster, 50, 2});
    const reduce::planned<planners::mgo> planned{.ranks = 9, .root = 2, .bytes = 50, .of = {.cluster = cluster}};
    for (const auto& [parent, child] : plan.edges) {
        rank_t receiver = -1;
        const auto s = lower(planned);
        for (step_t k = 0; k < s.steps(); ++k)
            s.sends(child, k, [&](const edge& e) { receiver = e.is_local() ? receiver : e.dst; });
        CHECK(receiver == parent);
    }
}
