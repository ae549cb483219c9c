#include "benchmarks/studies/random_cluster.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <vector>

using namespace collsched;
using namespace collsched::studies;

namespace {

constexpr cluster_distribution how{.overhead_ps = {5, 20},
                                   .own_latency_ps = {0, 3},
                                   .own_kB_s = {100, 200},
                                   .wide_latency_ps = {1000, 2000},
                                   .wide_kB_s = {10, 20},
                                   .local_latency_ps = {100, 200},
                                   .local_kB_s = {50, 60}};

}  // namespace

static_assert(cluster_distribution{} == cluster_distribution{.overhead_ps = {0, 0},
                                                             .own_latency_ps = {0, 0},
                                                             .own_kB_s = {1, 1},
                                                             .wide_latency_ps = {0, 0},
                                                             .wide_kB_s = {1, 1},
                                                             .local_latency_ps = {0, 0},
                                                             .local_kB_s = {1, 1},
                                                             .fanout = {2, 4},
                                                             .leaf = 8,
                                                             .levels = 3});
static_assert(!cluster_distribution{}.check(), "the default ranges are valid");
static_assert(random_cluster(how, 5, 1) == random_cluster(how, 5, 1));

TEST_CASE("random_cluster: every number is in its range, every tree within its bounds") {
    for (rank_t p = 1; p <= 100; p += 3)
        for (std::uint64_t seed = 0; seed < 10; ++seed) {
            const lob_model c = random_cluster(how, p, seed);
            REQUIRE(!c.check());
            CHECK(c.ranks() == p);
            CHECK(c.switches().levels() <= how.levels);
            for (rank_t e = 1; e < c.switches().switches(); ++e) CHECK(c.switches().population(e) > 0);
            for (rank_t i = 0; i < p; ++i) {
                CHECK(c.overhead(i) >= 5);
                CHECK(c.overhead(i) <= 20);
                for (rank_t j = 0; j < i; ++j) {
                    const rank_t a = c.switches().home(i), b = c.switches().home(j),
                                 meet = c.switches().common_switch(i, j);
                    const rank_t local =
                        std::max<rank_t>(c.switches().level(a) - std::max<rank_t>(c.switches().level(meet), 1), 0) +
                        std::max<rank_t>(c.switches().level(b) - std::max<rank_t>(c.switches().level(meet), 1), 0);
                    const rank_t wide = meet == 0 ? (a != 0) + (b != 0) : 0;
                    CHECK(c.latency(i, j) >= 1000 * wide + 100 * local);
                    CHECK(c.latency(i, j) <= 2000 * wide + 200 * local + 6);
                    const std::int64_t slowest = wide > 0 ? 10 : local > 0 ? 50 : 100;
                    CHECK(c.byte_fs(i, j) <= 1'000'000'000'000 / slowest);
                }
            }
        }
}

TEST_CASE("random_cluster: subclusters above the leaf size are split down to the deepest level") {
    for (const rank_t levels : {1, 2, 3, 5}) {
        cluster_distribution deep = how;
        deep.levels = levels;
        deep.leaf = 1;
        CHECK(random_cluster(deep, 2000, 1).switches().levels() == levels);
        deep.leaf = 2000;
        CHECK(random_cluster(deep, 2000, 1).switches().switches() == 1);
    }
}

TEST_CASE("random_cluster: seeds give different clusters, and impossible limits are reported") {
    CHECK(random_cluster(how, 20, 1) != random_cluster(how, 20, 2));
    CHECK(random_cluster(how, 0, 1) == lob_model{});
    CHECK(random_cluster(how, -1, 1) == lob_model{});
    for (const rank_t levels : {rank_t{0}, rank_t{65}, std::numeric_limits<rank_t>::max() / 2}) {
        cluster_distribution deep = how;
        deep.levels = levels;
        CHECK(deep.check() == argument_error{"levels", levels, "1 to 64"});
        CHECK(random_cluster(deep, 8, 1) == lob_model{});
    }
    cluster_distribution flat = how;
    flat.leaf = 0;
    CHECK(flat.check() == argument_error{"leaf", 0, "1 node or more"});
    CHECK(random_cluster(flat, 8, 1) == lob_model{});
}

TEST_CASE("random_cluster: each range begins at its least value or above, and does not end below its beginning") {
    using distribution = cluster_distribution;
    const struct {
        const char* name;
        uniform_range distribution::* range;
        std::int64_t least;
    } all[] = {{"overhead", &distribution::overhead_ps, 0},       {"own latency", &distribution::own_latency_ps, 0},
               {"own bandwidth", &distribution::own_kB_s, 1},     {"wide latency", &distribution::wide_latency_ps, 0},
               {"wide bandwidth", &distribution::wide_kB_s, 1},   {"local latency", &distribution::local_latency_ps, 0},
               {"local bandwidth", &distribution::local_kB_s, 1}, {"fanout", &distribution::fanout, 1}};
    for (const auto& [name, range, least] : all) {
        CAPTURE(name);
        distribution changed = how;
        changed.*range = {least, least};
        CHECK(!changed.check());
        changed.*range = {least - 1, least};
        CHECK(changed.check() == argument_error{name, least - 1, "a lower end that is not too small"});
        CHECK(random_cluster(changed, 4, 1) == lob_model{});
        changed.*range = {least + 2, least + 1};
        CHECK(changed.check() == argument_error{name, least + 1, "an upper end that is not below the lower end"});
    }
    distribution ends = how;
    ends.leaf = 1;
    for (const rank_t levels : {1, 64}) {
        ends.levels = levels;
        CHECK(!ends.check());
    }
}

TEST_CASE("random_cluster: equal arguments give this cluster on every compiler") {
    cluster_distribution deep = how;
    deep.leaf = 1;
    const lob_model c = random_cluster(deep, 6, 3);
    const std::vector<std::int64_t> parents{0, 1, 0, 3, 3}, homes{5, 4, 5, 2, 4, 2}, overheads{15, 11, 10, 13, 18, 7},
        latencies{0, 312, 3, 3650, 311, 3650}, rates{0, 19607843137, 6250000000, 76923076923, 19607843137, 76923076923};
    CHECK(c.switches() == topology::switch_tree(parents, homes));
    for (rank_t i = 0; i < 6; ++i) {
        const auto at = static_cast<std::size_t>(i);
        CHECK(c.overhead(i) == overheads[at]);
        CHECK(c.latency(0, i) == latencies[at]);
        CHECK(c.byte_fs(0, i) == rates[at]);
    }
}