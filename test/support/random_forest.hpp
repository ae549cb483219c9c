#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "collsched/tree/forest.hpp"
#include "support/layouts.hpp"

namespace support {

using namespace collsched;

/// Adds a spanning tree of any shape: a chain, a star, or a tree between them.
inline void add_random_tree(random_source& random, rank_t ranks, rank_t root, std::int64_t weight,
                            std::vector<trees::forest::tree>& trees, std::vector<trees::forest::edge>& edges) {
    std::vector<rank_t> reached{root}, others;
    for (rank_t r = 0; r < ranks; ++r)
        if (r != root) others.push_back(r);
    for (std::size_t i = others.size(); i > 1; --i)
        std::swap(others[i - 1], others[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(i)))]);
    const std::int64_t first = std::ssize(edges), shape = random.below(4);
    for (const rank_t to : others) {
        const std::int64_t known = std::ssize(reached);
        const std::int64_t latest = std::min<std::int64_t>(known, shape == 0 ? 1 : shape == 1 ? 3 : known);
        const rank_t from = reached[static_cast<std::size_t>(shape == 2 ? 0 : known - 1 - random.below(latest))];
        edges.push_back({from, to});
        reached.push_back(to);
    }
    trees.push_back({root, weight, first, std::ssize(edges)});
}

/// A forest with 1 to `most` trees of each root, or of `only` alone, of random shapes and weights. In every other one the
/// paths have up to two switches.
inline trees::forest random_forest(std::uint64_t seed, rank_t ranks, std::int64_t most = 4, rank_t only = -1) {
    random_source random(seed + 1);
    std::vector<trees::forest::tree> trees;
    std::vector<trees::forest::edge> edges;
    const std::int64_t total = most + random.below(20);
    for (rank_t root = 0; root < ranks; ++root) {
        if (only >= 0 && root != only) continue;
        std::int64_t left = total;
        for (std::int64_t n = 1 + random.below(most); n > 0; --n) {
            const std::int64_t weight = n == 1 ? left : 1 + random.below(left - n + 1);
            add_random_tree(random, ranks, root, weight, trees, edges);
            left -= weight;
        }
    }
    std::vector<rank_t> vertices;
    for (trees::forest::edge& one : edges) {
        one.first_vertex = std::ssize(vertices);
        vertices.push_back(one.from);
        for (std::int64_t n = seed % 2 == 0 ? 0 : random.below(3); n > 0; --n) vertices.push_back(ranks + n);
        vertices.push_back(one.to);
        one.end_vertex = std::ssize(vertices);
    }
    return {.ranks = ranks,
            .total = total,
            .unit = 0,
            .trees = owned_array<trees::forest::tree>(std::span<const trees::forest::tree>(trees)),
            .edges = owned_array<trees::forest::edge>(std::span<const trees::forest::edge>(edges)),
            .vertices = owned_array<rank_t>(std::span<const rank_t>(vertices))};
}

/// Three ranks: two trees of weights 2 and 1 of root 0, a chain of root 1 and a star of root 2.
constexpr trees::forest three_ranks() {
    using trees::forest;
    constexpr rank_t ends[] = {0, 1, 1, 2, 0, 2, 0, 1, 1, 0, 0, 2, 2, 0, 2, 1};
    constexpr forest::tree trees[] = {{0, 2, 0, 2}, {0, 1, 2, 4}, {1, 3, 4, 6}, {2, 3, 6, 8}};
    forest made{.ranks = 3,
                .total = 3,
                .unit = 0,
                .trees = owned_array<forest::tree>(std::span<const forest::tree>(trees)),
                .edges = owned_array<forest::edge>(8),
                .vertices = owned_array<rank_t>(std::span<const rank_t>(ends))};
    for (std::int64_t i = 0; i < 8; ++i)
        made.edges[i] = {made.vertices[2 * i], made.vertices[2 * i + 1], 2 * i, 2 * i + 2};
    return made;
}

}  // namespace support
