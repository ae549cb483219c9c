#include "collsched/collective/barrier/planned.hpp"

#include <doctest/doctest.h>

#include <string>

#include "collsched/tree/binomial.hpp"
#include "collsched/tree/k_ary.hpp"
#include "collsched/tree/planners/mgo.hpp"
#include "support/clusters.hpp"
#include "support/parameters.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(support::has_parameters<barrier::planned<planners::mgo>>());

TEST_CASE("barrier::planned: every rank has received from every other, directly or through others") {
    for (const rank_t p : {1, 2, 3, 8, 13})
        for (const lob_model& cluster : support::clusters(p))
            for (const rank_t root : {rank_t{0}, p - 1}) {
                const barrier::planned<planners::mgo> b{.ranks = p, .root = root, .cluster = cluster};
                CHECK(support::verified(b).ok());
                CHECK(support::measured(b).signals == 2 * (p - 1));
            }
    CHECK(std::string(check(barrier::planned<planners::mgo>{.ranks = 2}).argument) == "cluster");
}

TEST_CASE("barrier::planned: any two trees make a barrier, and half of it makes none") {
    for (rank_t p = 1; p <= 20; ++p) {
        const auto b = barrier::over_trees(p, p / 2, trees::k_ary{}, trees::binomial{});
        CHECK(support::verified(b).ok());
        CHECK(b.steps() == trees::k_ary{}.steps(p) + trees::binomial{}.steps(p));
        const barrier::detail::signal_tree<trees::binomial> half{p, p / 2};
        CHECK(support::verified(half).ok() == (p == 1));
    }
}
