#include "collsched/tree/planned_tree.hpp"

#include <array>

#include <doctest/doctest.h>

#include "collsched/tree/binomial.hpp"
#include "collsched/tree/k_nomial.hpp"
#include "collsched/tree/chain.hpp"
#include "collsched/tree/k_ary.hpp"
#include "support/brief.hpp"
#include "support/trees.hpp"

using namespace collsched;
using trees::planned, trees::planned_tree, trees::tree_edge;

namespace {

static_assert(rooted_tree<planned_tree> && !contiguous_tree<planned_tree>);
static_assert(support::broken_law(planned(trees::binomial{}, 10), 10) == nullptr);
static_assert(support::same_answers(planned(trees::k_nomial{}, 17), trees::k_nomial{}, 17));

template <class F>
void for_each_tree(F f) {
    f(trees::flat{});
    f(trees::chain{});
    f(trees::k_ary{});
    f(trees::k_ary{.radix = 5});
    f(trees::binomial{});
    f(trees::binomial_doubling{});
    f(trees::k_nomial{});
    f(trees::in_order_binary{});
    f(trees::double_binary{});
    f(trees::double_binary{.second = true});
    f(support::broom{});
}

/// Calls f(v) in preorder.
template <class F>
void walk(const planned_tree& t, rank_t v, F& f) {
    f(v);
    for (step_t k = 0; k < t.steps(t.ranks()); ++k)
        if (const rank_t to = t.child(t.ranks(), v, k); to >= 0) walk(t, to, f);
}

bool numbered_in_preorder(const planned_tree& t) {
    rank_t next = 0;
    bool right = true;
    auto count = [&](rank_t v) { right = right && t.position(v) == next && t.rank_at(next) == v, ++next; };
    walk(t, 0, count);
    for (rank_t v = 0; v < t.ranks(); ++v) {
        rank_t size = 0;
        auto add = [&](rank_t) { ++size; };
        walk(t, v, add);
        right = right && t.extent(t.ranks(), v) == size;
    }
    return right && next == t.ranks();
}

argument_error check(rank_t ranks, rank_t root, std::span<const tree_edge> edges) {
    return planned_tree(ranks, root, edges).check(ranks);
}

}  // namespace

TEST_CASE("trees::planned_tree: a stored tree equals the tree, and its preorder is correct") {
    for_each_tree([](const auto& tree) {
        CAPTURE(tree.name);
        for (rank_t p = 1; p <= support::most(100); ++p) {
            CAPTURE(p);
            const planned_tree stored = planned(tree, p);
            CHECK(!stored.check(p));
            CHECK(stored.ranks() == p);
            CHECK(std::string(stored.planner()) == tree.name);
            CHECK(support::same_answers(stored, tree, p));
            CHECK(support::fault(support::broken_law(stored, p), p) == "");
            CHECK(numbered_in_preorder(stored));
        }
        const planned_tree large = planned(tree, 3000);
        CHECK(support::fault(support::broken_total(large, 3000), 3000) == "");
    });
}

TEST_CASE(
    "trees::planned_tree: in a contiguous tree the identity is contiguous, and a stored tree has the same extents") {
    const planned_tree stored = planned(trees::binomial{}, 100);
    for (rank_t v = 0; v < 100; ++v) CHECK(stored.extent(100, v) == trees::binomial{}.extent(100, v));
}

TEST_CASE("trees::planned_tree: sends are in the order of the list, and ranks are shifted by the root") {
    constexpr std::array<tree_edge, 5> edges{{{0, 5}, {3, 0}, {3, 4}, {0, 2}, {3, 1}}};
    const planned_tree t(6, 3, edges, "me");  // virtual: 3 -> {2, 3 -> {...}}, that is 0 -> 3, 1, 4 and 3 -> 2, 5
    REQUIRE(!t.check(6));
    CHECK(t.root() == 3);
    CHECK(t.planner() == std::string("me"));
    CHECK(support::drawn(t, 6) == "0>3; 0>1 3>2; 0>4 3>5");
    CHECK(t.most_sends(6) == 3);
    constexpr rank_t preorder[] = {0, 3, 2, 5, 1, 4};
    for (rank_t i = 0; i < 6; ++i) CHECK(t.rank_at(i) == preorder[i]);
    CHECK(t.extent(6, 3) == 3);

    CHECK(t != planned_tree(6, 2, std::array<tree_edge, 5>{{{5, 4}, {2, 5}, {2, 3}, {5, 1}, {2, 0}}}));
    CHECK(t == planned_tree(6, 3, std::array<tree_edge, 5>{{{3, 0}, {3, 4}, {3, 1}, {0, 5}, {0, 2}}}));
    CHECK(t != planned_tree(6, 3, std::array<tree_edge, 5>{{{3, 4}, {3, 0}, {3, 1}, {0, 5}, {0, 2}}}));
}

TEST_CASE("trees::planned_tree: one rank needs no edges") {
    const planned_tree alone;
    CHECK(!alone.check(1));
    CHECK(alone == planned(trees::flat{}, 1));
    CHECK(support::fault(support::broken_law(alone, 1), 1) == "");
    CHECK(alone.position(0) == 0);
    CHECK(alone.root() == 0);
    CHECK(alone.most_sends(1) == 0);
}

TEST_CASE("trees::planned_tree: the parameter distinguishes trees") {
    std::vector<std::int64_t> seen;
    for (rank_t p = 3; p <= 33; ++p)
        for (const auto& t : {planned(trees::flat{}, p), planned(trees::chain{}, p), planned(trees::binomial{}, p)})
            planned_tree::parameters(t, [&](const char* name, std::int64_t value) {
                CHECK(name == std::string("tree"));
                for (const std::int64_t other : seen) CHECK(value != other);
                if (p > 3) seen.push_back(value);  // for three ranks flat and binomial trees have steps in common
            });
    CHECK(seen.size() == 90);
}

TEST_CASE("trees::planned_tree: lists that are no spanning tree are reported") {
    using edges = std::array<tree_edge, 2>;
    CHECK(support::complaint(check(3, 0, edges{{{0, 1}, {0, 2}}})) == "");
    CHECK(support::complaint(check(0, 0, edges{})) == "ranks: got 0, expected 1 or more");
    CHECK(support::complaint(check(3, 3, edges{})) == "root: got 3, expected 0 to ranks-1");
    CHECK(support::complaint(check(3, -1, edges{})) == "root: got -1, expected 0 to ranks-1");
    CHECK(support::complaint(check(4, 0, edges{{{0, 1}, {0, 2}}})) ==
          "edges: got 2, expected one edge to every rank but the root");
    CHECK(support::complaint(check(3, 0, edges{{{0, 1}, {3, 2}}})) == "parent[1]: got 3, expected 0 to ranks-1");
    CHECK(support::complaint(check(3, 0, edges{{{0, -1}, {0, 2}}})) == "child[0]: got -1, expected 0 to ranks-1");
    CHECK(support::complaint(check(3, 0, edges{{{1, 0}, {0, 2}}})) ==
          "child[0]: got 0, expected any rank but the root");
    CHECK(support::complaint(check(3, 0, edges{{{0, 1}, {0, 1}}})) ==
          "child[1]: got 1, expected a rank that has no parent yet");
    CHECK(support::complaint(check(3, 0, edges{{{2, 1}, {1, 2}}})) ==
          "child[0]: got 1, expected a rank that can be reached from the root");
    CHECK(support::complaint(check(3, 0, edges{{{0, 1}, {2, 2}}})) ==
          "child[1]: got 2, expected a rank that can be reached from the root");

    CHECK(support::complaint(planned(trees::flat{}, 5).check(6)) ==
          "ranks: got 6, expected as many ranks as the tree was planned for");
    CHECK(support::complaint(planned(trees::flat{}, 0).check(0)) == "ranks: got 0, expected 1 or more");
    CHECK(support::complaint(planned(trees::k_ary{.radix = 1}, 4).check(4)) == "radix: got 1, expected 2 or more");
}
