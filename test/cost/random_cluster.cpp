#include "collsched/cost/random_cluster.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <string>

using namespace collsched;

namespace {

constexpr cluster_model::distribution how{.overhead_ps = {5, 20},
                                          .own_latency_ps = {0, 3},
                                          .own_kB_s = {100, 200},
                                          .wide_latency_ps = {1000, 2000},
                                          .wide_kB_s = {10, 20},
                                          .local_latency_ps = {100, 200},
                                          .local_kB_s = {50, 60}};

}  // namespace

static_assert(cluster_model::distribution{} == cluster_model::distribution{.overhead_ps = {0, 0},
                                                                           .own_latency_ps = {0, 0},
                                                                           .own_kB_s = {1, 1},
                                                                           .wide_latency_ps = {0, 0},
                                                                           .wide_kB_s = {1, 1},
                                                                           .local_latency_ps = {0, 0},
                                                                           .local_kB_s = {1, 1},
                                                                           .fanout = {2, 4},
                                                                           .leaf = 8,
                                                                           .levels = 3});
static_assert(!cluster_model::distribution{}.check(), "the default ranges are valid");
static_assert(random_cluster(how, 5, 1) == random_cluster(how, 5, 1));

TEST_CASE("random_cluster: every number is in its range, every tree within its bounds") {
    for (rank_t p = 1; p <= 100; p += 3)
        for (std::uint64_t seed = 0; seed < 10; ++seed) {
            const cluster_model c = random_cluster(how, p, seed);
            REQUIRE(!c.check());
            CHECK(c.ranks() == p);
            CHECK(c.switches.levels() <= how.levels);
            for (rank_t e = 1; e < c.switches.switches(); ++e) CHECK(c.switches.population(e) > 0);
            for (rank_t i = 0; i < p; ++i) {
                CHECK(c.cost.overhead(i) >= 5);
                CHECK(c.cost.overhead(i) <= 20);
                for (rank_t j = 0; j < i; ++j) {
                    const rank_t a = c.switches.home(i), b = c.switches.home(j), meet = c.switches.meeting(i, j);
                    const rank_t local =
                        std::max<rank_t>(c.switches.level(a) - std::max<rank_t>(c.switches.level(meet), 1), 0) +
                        std::max<rank_t>(c.switches.level(b) - std::max<rank_t>(c.switches.level(meet), 1), 0);
                    const rank_t wide = meet == 0 ? (a != 0) + (b != 0) : 0;
                    CHECK(c.cost.latency(i, j) >= 1000 * wide + 100 * local);
                    CHECK(c.cost.latency(i, j) <= 2000 * wide + 200 * local + 6);
                    const std::int64_t slowest = wide > 0 ? 10 : local > 0 ? 50 : 100;
                    CHECK(c.cost.byte_fs(i, j) <= 1'000'000'000'000 / slowest);
                }
            }
        }
}

TEST_CASE("random_cluster: subclusters above the leaf size are split down to the deepest level") {
    for (const rank_t levels : {1, 2, 3, 5}) {
        cluster_model::distribution deep = how;
        deep.levels = levels;
        deep.leaf = 1;
        CHECK(random_cluster(deep, 2000, 1).switches.levels() == levels);
        deep.leaf = 2000;
        CHECK(random_cluster(deep, 2000, 1).switches.switches() == 1);
    }
}

TEST_CASE("random_cluster: seeds give different clusters, and impossible limits are reported") {
    CHECK(random_cluster(how, 20, 1) != random_cluster(how, 20, 2));
    CHECK(random_cluster(how, 0, 1).check());
    for (const rank_t levels : {rank_t{0}, rank_t{65}, std::numeric_limits<rank_t>::max() / 2}) {
        cluster_model::distribution deep = how;
        deep.levels = levels;
        CHECK(deep.check().value == levels);
        CHECK(random_cluster(deep, 8, 1).check());
    }
    cluster_model::distribution wrong = how;
    wrong.own_kB_s = {0, 5};
    CHECK(std::string(wrong.check().argument) == "own bandwidth");
    CHECK(random_cluster(wrong, 4, 1).check());
    wrong = how;
    wrong.leaf = 0;
    CHECK(std::string(wrong.check().argument) == "leaf");
    wrong = how;
    wrong.fanout = {3, 2};
    CHECK(wrong.check().value == 2);
}
