#include "collsched/collective/forest_paths.hpp"

#include <doctest/doctest.h>

#include <map>
#include <tuple>
#include <vector>

#include "collsched/collective/matched.hpp"
#include "collsched/collective/over_forest.hpp"
#include "collsched/collective/reduce/reversals.hpp"
#include "collsched/collective/reduce_scatter/reversals.hpp"
#include "collsched/schedule/edge_views.hpp"
#include "collsched/topology/networks.hpp"
#include "collsched/tree/match_chunks.hpp"
#include "support/layouts.hpp"
#include "support/random_forest.hpp"

using namespace collsched;

namespace {

/// Bytes between two ranks over a path.
using traffic = std::map<std::vector<rank_t>, bytes_t>;

/// Returns the bytes over each path of a schedule. Every edge between two ranks must have a path between them.
template <class X, class Plan>
traffic traffic_of(const X& x, const Plan& plan) {
    const forest_paths paths(lower(x).contract(), plan);
    traffic sum;
    for (const edge& e : edges(x)) {
        std::vector<rank_t> path;
        const bool found = paths.visit(e, [&](rank_t v) { path.push_back(v); });
        CHECK(found == !e.is_local());
        if (!found) continue;
        CHECK(path.front() == e.src);
        CHECK(path.back() == e.dst);
        sum[path] += e.size;
    }
    return sum;
}

/// Returns the bytes over each path if the trees of a root share `bytes_of(root)` in proportion to their weights, in whole
/// elements; of reversed paths for a reduction.
template <class Bytes>
void add_expected(traffic& sum, const trees::forest& forest, bytes_t element, bool reversed, Bytes bytes_of) {
    std::int64_t before = 0;
    for (const trees::forest::tree& one : forest.trees) {
        const std::int64_t n = bytes_of(one.root) / element;
        const std::int64_t after = before + one.weight;
        const bytes_t moved = (n * after / forest.total - n * before / forest.total) * element;
        before = after == forest.total ? 0 : after;
        for (const trees::forest::edge& e : forest.edges_of(one)) {
            std::vector<rank_t> path(forest.path(e).begin(), forest.path(e).end());
            if (reversed) path = {path.rbegin(), path.rend()};
            if (moved > 0) sum[path] += moved;
        }
    }
}

}  // namespace

TEST_CASE("forest_paths: the edges of every collective take the paths of the tree whose piece they move") {
    for (const rank_t p : {1, 2, 3, 6, 9})
        for (const bytes_t segment : {0, 8})
            for (const std::uint64_t seed : {4U, 5U}) {
                CAPTURE(p);
                const trees::forest forest = support::random_forest(seed, p);
                const trees::planned_forest held = forest;
                const auto check = [&](const auto& x, bool forward, bool backward, auto bytes_of) {
                    traffic expected;
                    if (forward) add_expected(expected, forest, 4, false, bytes_of);
                    if (backward) add_expected(expected, forest, 4, true, bytes_of);
                    CHECK(traffic_of(x, held) == expected);
                };
                for (const auto& [name, blocks] : support::layouts(p, 20)) {
                    const allgather::over_forest gather{
                        .ranks = p, .block = blocks, .element = 4, .segment = segment, .forest = held};
                    if (collsched::check(gather)) continue;
                    CAPTURE(name);
                    const auto of_block = [&](rank_t root) { return blocks.count(root); };
                    check(gather, true, false, of_block);
                    const reduce_scatter::over_forest scatter{
                        .ranks = p, .block = blocks, .element = 4, .of = {.segment = segment, .forest = held}};
                    check(scatter, false, true, of_block);
                }
                const block_layout parts = block_layout::partition(100, p, 4);
                check(
                    allreduce::over_forest{.ranks = p, .bytes = 100, .element = 4, .segment = segment, .forest = held},
                    true, true, [&](rank_t root) { return parts.count(root); });
                const rank_t root = p - 1;
                const auto of_root = [&](rank_t r) { return r == root ? bytes_t{100} : 0; };
                check(
                    broadcast::over_forest{
                        .ranks = p, .root = root, .bytes = 100, .element = 4, .segment = segment, .forest = held},
                    true, false, of_root);
                check(reduce::over_forest{.ranks = p,
                                          .root = root,
                                          .bytes = 100,
                                          .element = 4,
                                          .of = {.segment = segment, .forest = held}},
                      false, true, of_root);
            }
}

TEST_CASE("forest_paths: in an allreduce over two forests, edges that combine take the paths of the second one") {
    for (const rank_t p : {2, 3, 6, 9}) {
        CAPTURE(p);
        const trees::planned_forest down = support::random_forest(5, p), up = support::random_forest(7, p);
        const allreduce::over_forest x{
            .ranks = p, .bytes = 100, .element = 4, .segment = 8, .forest = down, .reversed_forest = up};
        const forest_paths paths(lower(x).contract(), down), paths_up(lower(x).contract(), up);
        traffic sum, sum_up, expected, expected_up;
        for (const edge& e : edges(x)) {
            std::vector<rank_t> path;
            if (e.is_local()) continue;
            CHECK((e.combines() ? paths_up : paths).visit(e, [&](rank_t v) { path.push_back(v); }));
            (e.combines() ? sum_up : sum)[path] += e.size;
        }
        const block_layout parts = block_layout::partition(100, p, 4);
        add_expected(expected, down.value(), 4, false, [&](rank_t root) { return parts.count(root); });
        add_expected(expected_up, up.value(), 4, true, [&](rank_t root) { return parts.count(root); });
        CHECK(sum == expected);
        CHECK(sum_up == expected_up);
    }
}

TEST_CASE("forest_paths: the edges of matched transfers take the links of the plan") {
    const std::int64_t dims[] = {3, 2};
    for (const topology::network& net :
         {topology::networks::mesh(dims, {.bandwidth = 1000, .latency = 7}),
          topology::networks::leaf_spine({.leaves = 2, .ranks_per_leaf = 3, .spines = 2})})
        for (const std::int64_t parts : {1, 3}) {
            const trees::transfer_plan plan = trees::match_chunks(net, {.bytes = 4, .parts = parts}).plan;
            const trees::planned_transfers held = plan;
            traffic forward, backward;
            for (const trees::transfer_plan::transfer& one : plan.transfers) {
                std::vector<rank_t> path{one.from};
                for (const trees::transfer_plan::hop& hop : plan.path(one)) path.push_back(hop.to);
                forward[path] += 12 / parts;
                backward[{path.rbegin(), path.rend()}] += 12 / parts;
            }
            CHECK(traffic_of(allgather::matched{.ranks = 6, .block = 12, .element = 4, .transfers = held}, held) ==
                  forward);
            CHECK(traffic_of(reduce_scatter::matched{.ranks = 6, .block = 12, .element = 4, .of = {.transfers = held}},
                             held) == backward);
        }
}

TEST_CASE("forest_paths: edges outside of the trees have no path") {
    const trees::planned_forest forest = support::three_ranks();
    const allgather::over_forest x{.ranks = 3, .block = 6, .forest = forest};
    const forest_paths paths(lower(x).contract(), forest);
    const auto found = [&](const edge& e) { return paths.visit(e, [](rank_t) {}); };
    CHECK(found({.src = 0, .dst = 1, .into_offset = 0, .size = 4}));
    CHECK(!found({.src = 2, .dst = 1, .into_offset = 0, .size = 4}));
    CHECK(!found({.src = 0, .dst = 1, .into_offset = 18, .size = 1}));
    CHECK(!found({.src = 0, .dst = 1, .into_offset = -1, .size = 1}));
    CHECK(!found({.src = 0, .dst = 3, .into_offset = 0, .size = 1}));
    CHECK(!found({.src = 0, .dst = -1, .into_offset = 0, .size = 1}));
    CHECK(!found({.src = 1, .dst = 1, .into_offset = 0, .size = 1}));
}

TEST_CASE("forest_paths: a contract without a size of elements has elements of one byte") {
    const trees::planned_forest forest = support::three_ranks();
    const allgather::over_forest x{.ranks = 3, .block = 7, .segment = 2, .forest = forest};
    contract without = lower(x).contract();
    without.element = 0;
    const forest_paths known(lower(x).contract(), forest), unknown(without, forest);
    for (const edge& e : edges(x)) {
        std::vector<rank_t> path, other;
        CHECK(known.visit(e, [&](rank_t v) { path.push_back(v); }) ==
              unknown.visit(e, [&](rank_t v) { other.push_back(v); }));
        CHECK(path == other);
    }
}

TEST_CASE("forest_paths: the first and the last byte of each block have paths, the bytes between blocks have none") {
    const trees::planned_forest forest = support::three_ranks();
    const std::vector<bytes_t> counts{4, 5, 6}, displs{7, 0, 20};
    const allgather::over_forest x{.ranks = 3, .block = block_layout(counts, displs), .forest = forest};
    const forest_paths paths(lower(x).contract(), forest);
    for (bytes_t byte = 0; byte < 30; ++byte) {
        rank_t root = -1;
        for (rank_t r = 0; r < 3; ++r)
            if (byte >= x.block.displ(r) && byte < x.block.displ(r) + x.block.count(r)) root = r;
        // Every tree reaches each rank but its root, which no edge enters.
        for (rank_t dst = 0; dst < 3; ++dst) {
            bool found = false;
            for (rank_t src = 0; src < 3; ++src)
                if (src != dst)
                    found =
                        found || paths.visit({.src = src, .dst = dst, .into_offset = byte, .size = 1}, [](rank_t) {});
            CHECK(found == (root >= 0 && dst != root));
        }
    }
}
