#include "collsched/verify/combination_trees.hpp"

#include <doctest/doctest.h>

#include <string>

#include "collsched/collective/allreduce/recursive_doubling.hpp"
#include "collsched/collective/allreduce/ring.hpp"
#include "collsched/collective/broadcast/over_tree.hpp"
#include "collsched/collective/reduce/linear.hpp"
#include "collsched/collective/scan/along_chain.hpp"
#include "collsched/collective/scan/recursive_doubling.hpp"

using namespace collsched;

namespace {

std::string spelled(const combination_trees& trees, const result_byte& where) {
    std::string text;
    trees.spell(trees.tree(where), [&](char c) { text += c; });
    return text;
}

constexpr bool has_first_tree(const char* expected) {
    const combination_trees trees(allreduce::recursive_doubling{.ranks = 4, .bytes = 4});
    bool same = true;
    trees.spell(trees.tree({3, 2}), [&](char c) { same = same && *expected++ == c; });
    return same && *expected == 0;
}

}  // namespace

static_assert(has_first_tree("((0 1) (2 3))"));

TEST_CASE("combination_trees: bytes of the result have trees, others have none") {
    const combination_trees trees(scan::linear{.ranks = 12, .bytes = 8});
    CHECK(trees.proof().ok());
    CHECK(trees.ranks() == 12);
    CHECK(trees.collective() == collective::scan);
    CHECK(trees.result_ranks(3) == 4);
    CHECK(trees.parts().size() == 12);
    CHECK(spelled(trees, {0, 7}) == "0");
    CHECK(spelled(trees, {11, 0}) == "(((((((((((0 1) 2) 3) 4) 5) 6) 7) 8) 9) 10) 11)");
    CHECK(trees.tree({11, 8}) == -1);
    CHECK(trees.tree({12, 0}) == -1);
    const combination_trees reduced(reduce::linear{.ranks = 3, .root = 1, .bytes = 8});
    CHECK(reduced.tree({0, 0}) == -1);
    CHECK(reduced.tree({1, 0}) >= 3);
    CHECK(reduced.result_ranks(1) == 3);
}

TEST_CASE("combination_trees: each part of a ring's message has its own tree") {
    const combination_trees trees(allreduce::ring{.ranks = 3, .bytes = 6});
    CHECK(trees.parts().size() == 9);
    CHECK(spelled(trees, {0, 0}) == spelled(trees, {2, 1}));
    CHECK(spelled(trees, {0, 0}) != spelled(trees, {0, 2}));
}

TEST_CASE("combination_trees: a schedule that combines nothing has no trees") {
    const combination_trees trees(broadcast::over_tree<trees::binomial>{.ranks = 4, .bytes = 8});
    CHECK(trees.proof().ok());
    CHECK(trees.parts().empty());
    CHECK(combination_trees().parts().empty());
}

TEST_CASE("combination_trees: the trees of two schedules are compared by their shape") {
    const auto doubling = [](rank_t p, bytes_t bytes) {
        return combination_trees(allreduce::recursive_doubling{.ranks = p, .bytes = bytes});
    };
    CHECK(doubling(6, 4).same_as(doubling(6, 12)));
    CHECK(!doubling(6, 4).same_as(doubling(7, 4)));
    CHECK(!doubling(6, 4).same_as(combination_trees(reduce::linear{.ranks = 6, .bytes = 4})));
    const combination_trees ring(allreduce::ring{.ranks = 6, .bytes = 1}),
        rings(allreduce::ring{.ranks = 6, .bytes = 6});
    CHECK(ring.same_as(ring));
    CHECK(!ring.same_as(rings));
    CHECK(!rings.same_as(ring));
    CHECK(!ring.same_as(doubling(6, 1)));
    const combination_trees chain(scan::linear{.ranks = 5, .bytes = 4}), linear(scan::linear{.ranks = 5, .bytes = 8});
    CHECK(chain.same_as(linear));
    CHECK(!chain.same_as(combination_trees(scan::recursive_doubling{.ranks = 5, .bytes = 4})));
}
