#include "collsched/tree/detail/forest_hops.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "support/random_forest.hpp"
#include "support/transfer_oracle.hpp"

using namespace collsched;
using trees::detail::forest_hop;
using trees::detail::forest_hops;

namespace {

/// tree, from, to, level
using row = std::tuple<std::int64_t, rank_t, rank_t, step_t>;

std::vector<row> rows_of(const trees::forest& forest, std::int64_t every) {
    std::vector<row> rows;
    for (std::int64_t t = 0; t < forest.trees.size(); t += every) {
        std::map<rank_t, step_t> level{{forest.trees[t].root, 0}};
        for (const trees::forest::edge& e : forest.edges_of(forest.trees[t])) {
            rows.emplace_back(t, e.from, e.to, level[e.from]);
            level[e.to] = level[e.from] + std::max<step_t>(2, e.end_vertex - e.first_vertex - 1);
        }
    }
    std::sort(rows.begin(), rows.end());
    return rows;
}

/// Returns 1 + the largest number of steps from a root to a rank that sends.
step_t depth_of(const trees::forest& forest, std::int64_t every) {
    step_t depth = 0;
    for (std::int64_t t = 0; t < forest.trees.size(); t += every) {
        std::map<rank_t, step_t> level;
        for (const trees::forest::edge& e : forest.edges_of(forest.trees[t])) {
            level[e.to] = level[e.from] + std::max<step_t>(2, std::ssize(forest.path(e)) - 1);
            depth = std::max(depth, level[e.from] + 1);
        }
    }
    return depth;
}

}  // namespace

TEST_CASE("forest_hops: every edge of the chosen trees at both ends, at its level, by level and then by tree") {
    for (rank_t p = 1; p <= 14; ++p)
        for (const std::int64_t every : {1, 3}) {
            CAPTURE(p);
            const trees::forest forest = support::random_forest(static_cast<std::uint64_t>(p), p);
            const forest_hops hops(forest, [&](std::int64_t t) { return t % every == 0; });
            std::vector<row> sent, received;
            const auto ordered = [](const forest_hop& a, const forest_hop& b) {
                return std::tie(a.level, a.tree) <= std::tie(b.level, b.tree);
            };
            for (rank_t r = 0; r < p; ++r) {
                forest_hop last{.level = -1};
                hops.sends.visit(r, {0, 3 * p}, [&](const forest_hop& one) {
                    CHECK(ordered(last, one));
                    last = one;
                    sent.emplace_back(one.tree, r, one.peer, one.level);
                });
                hops.receives.visit(r, {0, 3 * p}, [&](const forest_hop& one) {
                    received.emplace_back(one.tree, one.peer, r, one.level);
                });
            }
            std::sort(sent.begin(), sent.end());
            std::sort(received.begin(), received.end());
            CHECK(sent == rows_of(forest, every));
            CHECK(received == sent);
            CHECK(hops.depth == depth_of(forest, every));
            CHECK(hops.longest == (p == 1 ? 1 : p > 4 && p % 2 == 1 ? 3 : p % 2 == 1 ? hops.longest : 2));
        }
}

TEST_CASE("forest_hops: a range of levels, and the levels of a rank") {
    const trees::forest forest = support::random_forest(4, 12);
    const forest_hops hops(forest, [](std::int64_t) { return true; });
    for (rank_t r = 0; r < 12; ++r)
        for (step_t low = 0; low < 6; ++low)
            for (step_t high = low; high < 6; ++high) {
                std::int64_t expected = 0, found = 0;
                hops.sends.visit(r, {0, 12}, [&](const forest_hop& one) {
                    expected += one.level >= low && one.level <= high ? 1 : 0;
                    CHECK(one.level >= hops.sends.levels(r).first);
                    CHECK(one.level <= hops.sends.levels(r).last);
                });
                hops.sends.visit(r, {low, high}, [&](const forest_hop& one) {
                    ++found;
                    CHECK((one.level >= low && one.level <= high));
                });
                CHECK(found == expected);
            }
    CHECK(forest_hops().sends.levels(0).empty());
    CHECK(forest_hops(forest, [](std::int64_t) { return false; }).depth == 0);
}

TEST_CASE("forest_hops: the step of a transfer is the least after its chunk and the transfers before on its links") {
    for (const auto& [name, net] : support::transfer_oracle::some_networks()) {
        INFO(name);
        const trees::transfer_plan plan = trees::match_chunks(net, {.bytes = 1000, .parts = 2}).plan;
        const owned_array<step_t> steps = trees::detail::steps_of(plan);
        REQUIRE(steps.size() == plan.transfers.size());
        std::map<std::int64_t, step_t> after_link;
        std::map<std::pair<rank_t, std::int64_t>, step_t> after_chunk;
        for (std::int64_t t = 0; t < steps.size(); ++t) {
            const trees::transfer_plan::transfer& one = plan.transfers[t];
            step_t least = after_chunk[{one.from, plan.chunk(one)}];
            for (const trees::transfer_plan::hop& hop : plan.path(one)) least = std::max(least, after_link[hop.link]);
            CHECK(steps[t] == least);
            for (const trees::transfer_plan::hop& hop : plan.path(one)) after_link[hop.link] = least + 1;
            after_chunk[{one.to, plan.chunk(one)}] = least + 1;
        }
    }
}

TEST_CASE("forest_hops: the transfers of chosen chunks at both ends, at the steps of the whole plan") {
    for (const auto& [name, net] : support::transfer_oracle::some_networks()) {
        INFO(name);
        const trees::transfer_plan plan = trees::match_chunks(net, {.bytes = 1000, .parts = 2}).plan;
        const owned_array<step_t> steps = trees::detail::steps_of(plan);
        const auto used = [](std::int64_t chunk) { return chunk % 3 != 1; };
        const forest_hops hops(plan, used);
        std::vector<row> expected, sent, received;
        step_t depth = 0;
        for (std::int64_t t = 0; t < steps.size(); ++t) {
            const trees::transfer_plan::transfer& one = plan.transfers[t];
            if (!used(plan.chunk(one))) continue;
            expected.emplace_back(plan.chunk(one), one.from, one.to, steps[t]);
            depth = std::max(depth, steps[t] + 1);
        }
        for (rank_t r = 0; r < plan.ranks; ++r) {
            hops.sends.visit(r, {0, depth},
                             [&](const forest_hop& one) { sent.emplace_back(one.tree, r, one.peer, one.level); });
            hops.receives.visit(
                r, {0, depth}, [&](const forest_hop& one) { received.emplace_back(one.tree, one.peer, r, one.level); });
        }
        for (std::vector<row>* rows : {&expected, &sent, &received}) std::sort(rows->begin(), rows->end());
        CHECK(sent == expected);
        CHECK(received == expected);
        CHECK(hops.depth == depth);
    }
}
