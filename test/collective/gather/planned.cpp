#include "collsched/collective/gather/planned.hpp"

#include <doctest/doctest.h>

#include <string>

#include "collsched/tree/planners/mgo.hpp"
#include "collsched/verify/verify.hpp"
#include "support/clusters.hpp"
#include "support/layouts.hpp"

using namespace collsched;

TEST_CASE("right on every cluster, for every layout") {
    for (const rank_t p : {1, 2, 3, 8, 13})
        for (const cluster_model& cluster : support::clusters(p))
            for (const auto& [name, layout] : support::layouts(p))
                for (const rank_t root : {rank_t{0}, p - 1}) {
                    INFO(p, " ", name, " ", root);
                    const gather::planned<planners::mgo> planned{
                        .ranks = p, .root = root, .block = layout, .cluster = cluster};
                    CHECK(verify(planned).ok());
                    CHECK(verify(planned, binding::in_place).ok());
                }
}

TEST_CASE("a cluster of another size, and wrong blocks, are refused") {
    const cluster_model cluster = support::clusters(4)[0];
    const auto told = [&](rank_t ranks, rank_t root, bytes_t block) {
        const gather::planned<planners::mgo> planned{.ranks = ranks, .root = root, .block = block, .cluster = cluster};
        const error wrong = check(planned);
        return std::string(wrong ? wrong.argument : "");
    };
    CHECK(told(4, 1, 8) == "");
    CHECK(told(3, 1, 8) == "cluster");
    CHECK(told(0, 0, 8) == "ranks");
    CHECK(told(4, 4, 8) == "root");
    CHECK(told(4, 1, -8) == "block");
}
