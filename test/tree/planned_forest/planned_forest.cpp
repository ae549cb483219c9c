#include "collsched/tree/planned_forest.hpp"

#include <doctest/doctest.h>

#include "support/random_forest.hpp"

using namespace collsched;
using trees::planned_forest;

static_assert(!planned_forest(support::three_ranks()).check(3));

namespace {

std::uint64_t hash_of(const planned_forest& forest) {
    detail::description_hash hash;
    hash(forest);
    return hash.value();
}

}  // namespace

TEST_CASE("planned_forest: trees of each root, for all roots and for one") {
    for (rank_t p = 1; p <= 9; ++p) {
        const planned_forest all = support::random_forest(static_cast<std::uint64_t>(p), p);
        REQUIRE(!all.check(p));
        std::size_t trees = 0;
        for (rank_t r = 0; r < p; ++r) {
            std::int64_t weight = 0;
            for (const trees::forest::tree& one : all.trees_of(r)) {
                CHECK(one.root == r);
                weight += one.weight;
                ++trees;
            }
            CHECK(weight == all.value().total);
        }
        CHECK(trees == static_cast<std::size_t>(all.value().trees.size()));
        const planned_forest one = support::random_forest(7, p, 3, p - 1);
        REQUIRE(!one.check(p));
        for (rank_t r = 0; r < p; ++r) CHECK(one.trees_of(r).empty() == (r != p - 1));
    }
    CHECK(!planned_forest().check(1));
    CHECK(planned_forest().trees_of(0).empty());
}

TEST_CASE("planned_forest: a wrong forest is reported and has no trees") {
    trees::forest wrong = support::three_ranks();
    wrong.trees[0].root = 5;
    const planned_forest rejected(wrong);
    CHECK(rejected.check(3) == argument_error{"root", 5, "0 to ranks-1", 0});
    CHECK(rejected.value().trees.empty());
    CHECK(planned_forest(support::three_ranks()).check(4).value == 4);
    const argument_error cause{"file", 1, "a readable file"};
    CHECK(planned_forest(cause).check(1) == cause);
    CHECK(!(planned_forest(cause) == planned_forest()));
}

TEST_CASE("planned_forest: the hash is of roots, weights and edges, not of paths and unit") {
    const trees::forest first = support::three_ranks();
    trees::forest other = first;
    other.unit = fraction(1, 2);
    CHECK(hash_of(first) == hash_of(other));
    CHECK(!(planned_forest(first) == planned_forest(other)));
    CHECK(planned_forest(first) == planned_forest(first));
    other.trees[0].weight = 1;
    other.trees[1].weight = 2;
    CHECK(hash_of(first) != hash_of(other));
    for (std::uint64_t seed = 0; seed < 20; ++seed)
        CHECK(hash_of(support::random_forest(seed, 6)) != hash_of(support::random_forest(seed + 1, 6)));
}
