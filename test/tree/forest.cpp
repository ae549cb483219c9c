#include "collsched/tree/forest.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/brief.hpp"
#include "support/random_forest.hpp"

using namespace collsched;
using trees::forest;

TEST_CASE("forest: the edges of a tree, and their paths") {
    // 0 -> 1 by switch 3, then 1 -> 2.
    const std::vector<rank_t> vertices{0, 3, 1, 1, 2};
    const std::vector<forest::edge> edges{{0, 1, 0, 3}, {1, 2, 3, 5}};
    const std::vector<forest::tree> trees{{.root = 0, .weight = 2, .first_edge = 0, .end_edge = 2}};
    const forest one{.ranks = 3,
                     .total = 2,
                     .unit = {5, 2},
                     .trees = owned_array<forest::tree>(trees),
                     .edges = owned_array<forest::edge>(edges),
                     .vertices = owned_array<rank_t>(vertices)};
    CHECK(one.edges_of(one.trees[0]).size() == 2);
    CHECK(one.edges_of(one.trees[0])[1] == edges[1]);
    CHECK(one.path(edges[0]).size() == 3);
    CHECK(one.path(edges[0])[1] == 3);
    CHECK(one.path(edges[1])[0] == 1);
    CHECK(one == forest(one));
}

static_assert(!support::three_ranks().check());
static_assert(!forest{}.check());

namespace {

/// The error of a forest of three ranks in which `change` has changed something.
std::string error_after(auto change) {
    forest one = support::three_ranks();
    change(one);
    return one.check().text().c_str();
}

}  // namespace

TEST_CASE("forest: random forests are valid") {
    for (rank_t p = 1; p <= support::most(40); ++p) {
        CHECK(!support::random_forest(static_cast<std::uint64_t>(p), p).check());
        CHECK(!support::random_forest(static_cast<std::uint64_t>(p), p, 5, p / 2).check());
    }
}

TEST_CASE("forest: wrong ranks, totals and trees are reported") {
    CHECK(error_after([](forest&) {}) == "no error");
    CHECK(error_after([](forest& f) { f.ranks = 0; }) == "ranks: got 0, expected 1 to 2^30");
    CHECK(error_after([](forest& f) { f.ranks = (1 << 30) + 1; }) == "ranks: got 1073741825, expected 1 to 2^30");
    CHECK(error_after([](forest& f) { f.ranks = INT64_MAX; }).starts_with("ranks: got 9223372036854775807"));
    CHECK(error_after([](forest& f) { f.ranks = 4; }).starts_with("end_edge[0]: got 2"));
    CHECK(error_after([](forest& f) { f.total = 0; }) == "total: got 0, expected 1 or more");
    CHECK(error_after([](forest& f) { f.unit = -1; }) == "unit: got -1, expected 0 (unknown) or more");
    CHECK(error_after([](forest& f) { f.total = 4; }) ==
          "weight[1]: got 1, expected weights with the sum `total` of the trees of a root");
    CHECK(error_after([](forest& f) { f.trees[0].root = 3; }) == "root[0]: got 3, expected 0 to ranks-1");
    CHECK(error_after([](forest& f) { f.trees[2].root = -1; }) == "root[2]: got -1, expected 0 to ranks-1");
    CHECK(error_after([](forest& f) { f.trees[3].root = 0; }) == "root[3]: got 0, expected roots in ascending order");
    CHECK(error_after([](forest& f) { f.trees[1].weight = 0; }) == "weight[1]: got 0, expected 1 or more");
    CHECK(error_after([](forest& f) { f.trees[1].weight = INT64_MAX; }).starts_with("weight[1]"));
    CHECK(error_after([](forest& f) { f.trees[3].weight = 2; }).starts_with("weight[3]: got 2"));
    CHECK(error_after([](forest& f) { f.trees[1].first_edge = 3; }).starts_with("first_edge[1]: got 3"));
    CHECK(error_after([](forest& f) { f.trees[1].end_edge = INT64_MIN; }).starts_with("end_edge[1]"));
    CHECK(error_after([](forest& f) { f.trees[3].end_edge = 9; }).starts_with("end_edge[3]: got 9"));
    CHECK(error_after([](forest& f) { f.trees = owned_array<forest::tree>(); }) ==
          "edges: got 8, expected ranks-1 edges for each tree");
}

TEST_CASE("forest: wrong edges and paths are reported") {
    CHECK(error_after([](forest& f) { f.edges[1].from = 3; }) == "from[1]: got 3, expected 0 to ranks-1");
    CHECK(error_after([](forest& f) { f.edges[1].to = -1; }) == "to[1]: got -1, expected 0 to ranks-1");
    CHECK(error_after([](forest& f) { f.edges[2].first_vertex = 1; }).starts_with("first_vertex[2]: got 1"));
    CHECK(error_after([](forest& f) { f.edges[2].end_vertex = 5; }).starts_with("end_vertex[2]: got 5"));
    CHECK(error_after([](forest& f) { f.edges[7].end_vertex = INT64_MAX; }).starts_with("end_vertex[7]"));
    CHECK(error_after([](forest& f) { f.vertices[4] = 1; }) == "vertices[4]: got 1, expected a path from `from`");
    CHECK(error_after([](forest& f) { f.vertices[5] = 0; }) == "vertices[5]: got 0, expected a path to `to`");
    CHECK(error_after([](forest& f) { f.vertices = owned_array<rank_t>(20); }).starts_with("vertices[1]"));
    const auto through = [](rank_t middle) {
        const std::vector<rank_t> path{0, middle, 1};
        const std::vector<forest::edge> edge{{0, 1, 0, 3}};
        const std::vector<forest::tree> tree{{0, 1, 0, 1}};
        const forest one{.ranks = 2,
                         .trees = owned_array<forest::tree>(tree),
                         .edges = owned_array<forest::edge>(edge),
                         .vertices = owned_array<rank_t>(path)};
        return std::string(one.check().text().c_str());
    };
    CHECK(through(2) == "no error");
    CHECK(through(1) == "vertices[1]: got 1, expected switches between the ends of a path");
}

TEST_CASE("forest: a tree whose edges are not in order, or that misses a rank, is reported") {
    const auto turn = [](forest& f, std::int64_t i, rank_t from, rank_t to) {
        f.edges[i].from = f.vertices[2 * i] = from;
        f.edges[i].to = f.vertices[2 * i + 1] = to;
    };
    CHECK(error_after([&](forest& f) { turn(f, 0, 2, 1); }) ==
          "from[0]: got 2, expected the root, or `to` of an earlier edge of the tree");
    CHECK(error_after([&](forest& f) { turn(f, 1, 0, 1); }) ==
          "to[1]: got 1, expected a rank that no earlier edge reaches");
    CHECK(error_after([&](forest& f) { turn(f, 1, 1, 0); }).starts_with("to[1]: got 0"));
    CHECK(error_after([&](forest& f) { turn(f, 1, 1, 1); }).starts_with("to[1]: got 1"));
}
