#include "support/forest_oracle.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

using namespace collsched;
using topology::network;
using trees::forest;

namespace {

network star(std::int64_t bandwidth) {
    std::vector<network::link> links;
    for (rank_t r = 0; r < 3; ++r) {
        links.push_back({r, 3, bandwidth});
        links.push_back({3, r, bandwidth});
    }
    return {3, 1, links};
}

/// A chain r, r+1, r+2 from every root r.
forest chains() {
    std::vector<forest::tree> trees;
    std::vector<forest::edge> edges;
    std::vector<rank_t> vertices;
    for (rank_t root = 0; root < 3; ++root) {
        trees.push_back({root, 1, 2 * root, 2 * root + 2});
        for (rank_t i = 0; i < 2; ++i) {
            const rank_t from = (root + i) % 3, to = (root + i + 1) % 3;
            const auto first = static_cast<std::int64_t>(vertices.size());
            edges.push_back({from, to, first, first + 3});
            vertices.insert(vertices.end(), {from, 3, to});
        }
    }
    forest made;
    made.ranks = 3;
    made.unit = 1;
    made.trees = owned_array<forest::tree>(std::span<const forest::tree>(trees));
    made.edges = owned_array<forest::edge>(std::span<const forest::edge>(edges));
    made.vertices = owned_array<rank_t>(std::span<const rank_t>(vertices));
    return made;
}

std::string fault_of(const forest& made, std::vector<rank_t> roots = {0, 1, 2}) {
    return support::forest_oracle::first_fault(star(2), made, roots);
}

template <class Change>
std::string fault_after(Change change) {
    forest made = chains();
    change(made);
    return fault_of(made);
}

}  // namespace

TEST_CASE("forest_oracle: a forest of chains over a switch has no fault") {
    const forest made = chains();
    CHECK(fault_of(made) == "");
    CHECK(support::forest_oracle::first_detour(made) == "");
    CHECK(support::forest_oracle::rate_of(made) == fraction(3));
    for (const auto& use : support::forest_oracle::link_use(star(2), made)) CHECK(use == fraction(1));
    for (const auto& use : support::forest_oracle::link_use(star(6), made)) CHECK(use == fraction(1, 3));
    CHECK(support::forest_oracle::depth_of(made, made.trees[1]) == support::forest_oracle::depth{2, 4});
}

TEST_CASE("forest_oracle: every kind of fault is found") {
    CHECK(fault_after([](forest& f) { f.ranks = 4; }) == "the number of ranks is 4");
    CHECK(fault_after([](forest& f) { f.trees[1].first_edge = 1; }) == "tree 1 begins at edge 1");
    CHECK(fault_after([](forest& f) { f.trees[1].end_edge = 5; }) == "tree 1 ends at edge 5");
    CHECK(fault_after([](forest& f) { f.trees = owned_array<forest::tree>(); }) == "6 edges in all");
    CHECK(fault_after([](forest& f) { f.edges[2].first_vertex = 5; }) == "the path of edge 2 begins elsewhere");
    CHECK(fault_after([](forest& f) { f.edges[2].end_vertex = 7; }) == "the path of edge 2 is too short");
    CHECK(fault_after([](forest& f) { f.edges[5].end_vertex = 19; }) == "the path of edge 5 has no end");
    CHECK(fault_after([](forest& f) { f.edges[5].end_vertex = 17; }) == "18 vertices in all");
    CHECK(fault_after([](forest& f) { f.trees[2].weight = 0; }) == "weight 0");
    CHECK(fault_after([](forest& f) { f.trees[2].weight = 2; }) == "the weights of root 2 have another sum");
    CHECK(fault_after([](forest& f) { f.total = 2; }) == "the weights of root 0 have another sum");
    CHECK(fault_of(chains(), {0, 1}) == "the roots are others");
    CHECK(fault_after([](forest& f) { f.trees[2].root = 1; }) == "the roots are others");
    CHECK(fault_after([](forest& f) { f.edges[1].to = 3; }) == "edge 1>3 of root 0: no rank");
    CHECK(fault_after([](forest& f) { f.edges[0].from = 2; }) == "edge 2>1 of root 0: the sender is not reached");
    CHECK(fault_after([](forest& f) { f.edges[1].to = 0; }) == "edge 1>0 of root 0: the receiver is reached twice");
    CHECK(fault_after([](forest& f) { f.vertices[3] = 0; }) == "edge 1>2 of root 0: the path has other ends");
    CHECK(fault_after([](forest& f) { f.vertices[4] = 0; }) == "edge 1>2 of root 0: no link 1>0");
    CHECK(fault_after([](forest& f) { f.unit = 0; }) == "the unit is 0 or less");
    CHECK(fault_after([](forest& f) { f.unit = fraction(1'000'000'001, 1'000'000'000); }) ==
          "the load of 0>3 exceeds the bandwidth 2");
}

TEST_CASE("forest_oracle: paths over ranks are faults, and detours are found") {
    const std::vector<network::link> links{{0, 1}, {1, 2}, {2, 3}, {3, 2}};
    forest made = chains();
    made.trees = owned_array<forest::tree>(1);
    made.edges = owned_array<forest::edge>(1);
    const network over_rank(4, 0, links);
    CHECK(support::forest_oracle::fault_of_path(over_rank, support::forest_oracle::capacities(over_rank), {0, 2},
                                                std::vector<rank_t>{0, 1, 2}) == "the path leads over rank 1");
    made.edges[0] = {0, 1, 0, 5};
    made.vertices = owned_array<rank_t>(std::span<const rank_t>(std::vector<rank_t>{0, 2, 3, 2, 1}));
    CHECK(support::forest_oracle::first_detour(made) == "edge 0>1 passes vertex 2 twice");
}
