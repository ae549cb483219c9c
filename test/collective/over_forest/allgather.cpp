#include "collsched/collective/over_forest.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "collsched/execute/inline.hpp"
#include "collsched/schedule/edge_views.hpp"
#include "collsched/verify/verify.hpp"
#include "support/brief.hpp"
#include "support/busy_steps.hpp"
#include "support/layouts.hpp"
#include "support/parameters.hpp"
#include "support/random_forest.hpp"
#include "support/real_bytes.hpp"
#include "support/verified.hpp"

using namespace collsched;
using allgather::over_forest;

static_assert(support::has_parameters<over_forest>({{"window", 1}}));
static_assert(derived_algorithm<over_forest>);
static_assert(proved<verify(over_forest{.ranks = 3, .block = 7, .segment = 2, .forest = support::three_ranks()})>);
static_assert(proved<verify(over_forest{.ranks = 3, .block = 12, .element = 4, .forest = support::three_ranks()},
                            binding::in_place)>);
static_assert(proved<verify(over_forest{.block = 5})>);

namespace {

/// The trees with elements: 1 + the largest number of steps from a root to a rank that sends, and the smallest and the largest number
/// of elements.
struct used_trees {
    rank_t depth = 0;
    std::int64_t least = INT64_MAX, most = 0;

    used_trees(const trees::forest& forest, std::int64_t elements) {
        std::int64_t weight = 0;
        for (const trees::forest::tree& one : forest.trees) {
            const std::int64_t first = elements * weight / forest.total;
            weight += one.weight;
            const std::int64_t n = elements * weight / forest.total - first;
            weight = weight == forest.total ? 0 : weight;
            if (n == 0) continue;
            least = std::min(least, n);
            most = std::max(most, n);
            std::map<rank_t, rank_t> level{{one.root, 0}};
            for (const trees::forest::edge& e : forest.edges_of(one)) {
                level[e.to] = level[e.from] + std::max<step_t>(2, e.end_vertex - e.first_vertex - 1);
                depth = std::max(depth, level[e.from] + 1);
            }
        }
    }
};

}  // namespace

TEST_CASE(
    "allgather::over_forest: verified over random forests, for every layout, in segments, separate and in place") {
    for (rank_t p = 1; p <= support::most(64); p += p < 12 ? 1 : 13)
        for (const bytes_t element : {1, 4})
            for (const auto& [name, blocks] : support::layouts(p, 5 * element)) {
                const trees::planned_forest forest = support::random_forest(static_cast<std::uint64_t>(p), p);
                REQUIRE(!forest.check(p));
                const bytes_t segment = blocks.extent(p) > 4000 ? 200 * element : 2 * element;
                const over_forest whole{.ranks = p, .block = blocks, .element = element, .forest = forest};
                const over_forest cut{
                    .ranks = p, .block = blocks, .element = element, .segment = segment, .window = 2, .forest = forest};
                if (check(whole)) continue;  // gaps that do not suit the element
                INFO(p, " ", name, " ", element);
                CHECK(support::verified(whole).ok());
                CHECK(support::verified(cut).ok());
                if (p < 20) CHECK(support::verified(cut, binding::in_place).ok());
            }
}

TEST_CASE("allgather::over_forest: verified for every p up to 64, with fewer elements than trees and with more") {
    for (rank_t p = 1; p <= support::most(64); ++p)
        for (const bytes_t n : {1, 2, 13}) {
            INFO(p, " ", n);
            CHECK(support::verified(over_forest{.ranks = p,
                                                .block = 4 * n,
                                                .element = 4,
                                                .segment = 12,
                                                .forest = support::random_forest(static_cast<std::uint64_t>(p + n), p)})
                      .ok());
        }
}

TEST_CASE("allgather::over_forest: rounds, bytes, and elements that are not split") {
    for (const rank_t p : {2, 3, 5, 12})
        for (const bytes_t n : {1, 2, 3, 7, 40, 333})
            for (const bytes_t most : {0, 1, 4, 30}) {
                INFO(p, " ", n, " ", most);
                const trees::forest forest = support::random_forest(static_cast<std::uint64_t>(p * n), p);
                const over_forest x{.ranks = p, .block = 4 * n, .element = 4, .segment = 4 * most, .forest = forest};
                const metrics_report m = support::measured(x);
                const used_trees used(forest, n);
                const step_t segments = most == 0 ? 1 : (used.most + most - 1) / most;
                CHECK(lower(x).steps() == segments - 1 + used.depth);
                CHECK(m.rounds <= segments - 1 + used.depth);
                if (used.least >= segments && segments > 2) CHECK(m.rounds == segments - 1 + used.depth);
                for (rank_t r = 0; r < p; ++r) CHECK(m.bytes_received[r] == 4 * n * (p - 1));
                bool whole = true;
                for (const edge& e : edges(x))
                    whole = whole && e.size % 4 == 0 && (most == 0 || e.is_local() || e.size <= 4 * most);
                CHECK(whole);
            }
}

TEST_CASE("allgather::over_forest: a tree carries in each step the same part of its piece") {
    // The largest pieces, of roots 1 and 2, have 30 elements in 8 segments. Those of root 0 have 20 and 10. The first
    // tree of root 0 has an edge to rank 1, the second to ranks 1 and 2.
    const over_forest x{.ranks = 3, .block = 30, .segment = 4, .forest = support::three_ranks()};
    CHECK(lower(x).steps() == 8 - 1 + 3);
    std::map<std::pair<step_t, rank_t>, std::vector<bytes_t>> sent;
    for (const edge& e : edges(x))
        if (e.src == 0 && e.from == buffer::input && !e.is_local()) sent[{e.step, e.dst}].push_back(e.size);
    CHECK(sent.size() == 16);
    for (step_t k = 0; k < 8; ++k) {
        const std::vector<bytes_t> to_1 = sent[{k, 1}], to_2 = sent[{k, 2}];
        REQUIRE((to_1.size() == 2 && to_2.size() == 1));
        CHECK((to_1[0] == 2 || to_1[0] == 3));
        CHECK((to_1[1] == 1 || to_1[1] == 2));
        CHECK(to_2[0] == to_1[1]);
    }
}

TEST_CASE("allgather::over_forest: steps of a rank are within its busy steps") {
    for (rank_t p = 1; p <= 9; ++p)
        for (const auto& [name, blocks] : support::layouts(p, 40)) {
            INFO(p, " ", name);
            const auto s =
                lower(over_forest{.ranks = p, .block = blocks, .segment = 7, .forest = support::random_forest(3, p)});
            for (rank_t r = 0; r < p; ++r) {
                const step_range used = support::used_steps(s, r), busy = s.busy(r).hull();
                if (!used.empty()) CHECK((busy.first <= used.first && used.last <= busy.last));
                if (!used.empty()) CHECK(s.next(r, 0) <= used.first);
                CHECK(busy.last < s.steps());
            }
        }
}

TEST_CASE("allgather::over_forest: right with real bytes over an adversarial network") {
    for (const rank_t p : {1, 2, 5, 9})
        for (const step_t window : {0, 1, 3})
            for (const binding how : {binding::separate, binding::in_place}) {
                const over_forest x{.ranks = p,
                                    .block = 36,
                                    .element = 4,
                                    .segment = 8,
                                    .window = window,
                                    .forest = support::random_forest(static_cast<std::uint64_t>(p), p)};
                const auto [bytes, memory] = support::filled(lower(x).contract(), how);
                REQUIRE(run_inline(x, memory, how).done());
                for (auto& b : bytes) REQUIRE(b.wrong() == "");
            }
}

TEST_CASE("allgather::over_forest: a wrong forest, and roots without trees, are rejected") {
    const auto wrong = [](const over_forest& x) { return std::string(check(x).text().c_str()); };
    const trees::forest good = support::three_ranks();
    CHECK(wrong({.ranks = 3, .block = 1, .forest = good}) == "no error");
    CHECK(wrong({.ranks = 4, .block = 1, .forest = good}) == "ranks: got 4, expected as many ranks as the forest has");
    CHECK(wrong({.ranks = 2, .block = 1}) == "ranks: got 2, expected as many ranks as the forest has");
    CHECK(wrong({.ranks = 3, .block = 1, .segment = -1, .forest = good}).starts_with("segment: got -1"));
    trees::forest heavy = good;
    heavy.trees[1].weight = 2;
    CHECK(wrong({.ranks = 3, .block = 1, .forest = heavy}).starts_with("weight[1]: got 2"));
    const trees::planned_forest from_one = support::random_forest(1, 3, 2, 1);
    CHECK(wrong({.ranks = 3, .block = 1, .forest = from_one}) ==
          "forest[0]: got 0, expected trees of every rank that sends bytes");
    const std::vector<bytes_t> counts{0, 9, 0};
    CHECK(wrong({.ranks = 3, .block = block_layout(counts), .forest = from_one}) == "no error");
    CHECK(support::verified(over_forest{.ranks = 3, .block = block_layout(counts), .forest = from_one}).ok());
    CHECK(wrong({.ranks = 3, .block = INT64_MAX / 3, .segment = 1, .forest = good}).starts_with("segment"));
}

TEST_CASE("allgather::over_forest: the forest is a part of the fingerprint") {
    const over_forest x{.ranks = 5, .block = 9, .forest = support::random_forest(1, 5)};
    over_forest y = x;
    CHECK(fingerprint(x) == fingerprint(y));
    CHECK(x == y);
    y.forest = support::random_forest(2, 5);
    CHECK(fingerprint(x) != fingerprint(y));
    CHECK(fingerprint(x.view()) != fingerprint(y.view()));
    CHECK(!(x == y));
    y = x;
    y.window = 2;
    CHECK(fingerprint(x) != fingerprint(y));
}

TEST_CASE("allgather::over_forest: a forest with a random number in it is rejected, or its schedule is right") {
    support::random_source random(17);
    int accepted = 0;
    for (int i = 0; i < 3000; ++i) {
        const rank_t p = 2 + random.below(4);
        trees::forest forest = support::random_forest(static_cast<std::uint64_t>(i), p, 2);
        constexpr std::int64_t extremes[] = {INT64_MIN, INT64_MAX, -1, 1 << 20};
        const std::int64_t number = random.below(4) == 0 ? extremes[random.below(4)] : random.below(8);
        trees::forest::tree& tree = forest.trees[random.below(forest.trees.size())];
        trees::forest::edge& edge = forest.edges[random.below(forest.edges.size())];
        std::int64_t* const fields[] = {&tree.root,
                                        &tree.weight,
                                        &tree.first_edge,
                                        &tree.end_edge,
                                        &edge.from,
                                        &edge.to,
                                        &edge.end_vertex,
                                        &forest.ranks,
                                        &edge.first_vertex,
                                        &forest.total,
                                        &forest.vertices[random.below(forest.vertices.size())]};
        *fields[random.below(11)] = number;
        const over_forest x{.ranks = p, .block = 9, .segment = 2, .forest = forest};
        if (check(x)) continue;
        ++accepted;
        CHECK(support::verified(x).ok());
    }
    CHECK((accepted > 0 && accepted < 1500));
}
