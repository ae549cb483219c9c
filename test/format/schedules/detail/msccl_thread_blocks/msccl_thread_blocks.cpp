#include "collsched/format/schedules/detail/msccl_thread_blocks.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "collsched/core/detail/splitmix64.hpp"

using namespace collsched;
using namespace collsched::detail;

namespace {

/// Dependencies made by hand: operations 0 .. n-1, then joins.
detail::dependency_list list_of(std::int64_t operations, const std::vector<std::vector<std::int64_t>>& before) {
    detail::dependency_list list{.operations = operations,
                                 .first = owned_array<std::int64_t>(std::ssize(before) + 1),
                                 .before = {},
                                 .paced_by = owned_array<std::int64_t>(operations)};
    std::int64_t total = 0;
    for (const auto& one : before) total += std::ssize(one);
    list.before = owned_array<std::int64_t>(total);
    std::int64_t at = 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
        list.first[static_cast<std::int64_t>(i)] = at;
        for (const std::int64_t one : before[i]) list.before[at++] = one;
    }
    list.first[std::ssize(before)] = at;
    return list;
}

edge send(rank_t to, step_t step) { return {.step = step, .src = 0, .dst = to, .size = 4}; }
edge combine(bytes_t from, bytes_t into, bytes_t size) {
    edge e;
    e.size = size;
    e.from = buffer::scratch;
    e.from_offset = from;
    e.into = buffer::output;
    e.into_offset = into;
    e.action = action::combine_after;
    return e;
}

std::int64_t waits(const std::vector<msccl_thread_block>& blocks) {
    std::int64_t count = 0;
    for (const msccl_thread_block& block : blocks)
        for (const msccl_step& one : block.steps) count += one.waits_for_block >= 0 ? 1 : 0;
    return count;
}

}  // namespace

TEST_CASE("thread blocks: no dependency follows from the others, directly or through a join") {
    const std::vector<edge> own{send(1, 0), send(2, 1), send(3, 2), send(4, 3)};
    // 1 after 0; 2 after 0 and 1; 3 after a join of all.
    const detail::dependency_list list = list_of(4, {{}, {0}, {0, 1}, {4}, {0, 1, 2}});
    const auto blocks = msccl_thread_blocks(0, own, list, 4, 64);
    REQUIRE(blocks.size() == 4);
    CHECK(waits(blocks) == 3);
    for (std::size_t b = 0; b < 4; ++b) {
        REQUIRE(blocks[b].steps.size() == 1);
        CHECK(blocks[b].steps[0].waits_for_block == static_cast<std::int64_t>(b) - 1);
        CHECK(blocks[b].steps[0].waited_for == (b < 3));
    }
}

TEST_CASE("thread blocks: random dependencies hold, and each operation waits for the fewest") {
    detail::splitmix64 random(7);
    for (int run = 0; run < 200; ++run) {
        const std::int64_t n = random.between(1, 24);
        std::vector<edge> own;
        std::vector<std::vector<std::int64_t>> before(static_cast<std::size_t>(n));
        for (std::int64_t i = 0; i < n; ++i) {
            own.push_back(send(random.between(1, 6), i));
            for (std::int64_t j = 0; j < i; ++j)
                if (random.between(0, 3) == 0) before[static_cast<std::size_t>(i)].push_back(j);
        }
        const auto blocks = msccl_thread_blocks(0, own, list_of(n, before), 4, 1 << 20);
        // The k-th operation of a peer is the k-th step that does something in its thread block.
        std::map<rank_t, std::pair<std::size_t, std::size_t>> next;  // thread block, step
        for (std::size_t b = 0; b < blocks.size(); ++b) next[blocks[b].sends_to] = {b, 0};
        std::vector<std::set<std::pair<std::size_t, std::size_t>>> done(own.size());  // complete with each operation
        std::map<std::pair<std::size_t, std::size_t>, std::size_t> operation_at;
        std::map<std::size_t, std::size_t> latest;
        CAPTURE(run);
        for (std::size_t i = 0; i < own.size(); ++i) {
            auto& [block, step] = next[own[i].dst];
            std::vector<std::pair<std::size_t, std::size_t>> waited;
            if (const auto found = latest.find(block); found != latest.end()) done[i] = done[found->second];
            std::set<std::pair<std::size_t, std::size_t>> known = done[i];
            for (;; ++step) {
                const msccl_step& one = blocks[block].steps.at(step);
                if (one.waits_for_block >= 0)
                    waited.emplace_back(static_cast<std::size_t>(one.waits_for_block),
                                        static_cast<std::size_t>(one.waits_for_step));
                if (one.type == std::string("s")) break;
            }
            for (const auto& one : waited) {
                CHECK(blocks[one.first].steps[one.second].waited_for);
                CHECK(!known.contains(one));
                for (const auto& other : waited) CHECK((other == one || !done[operation_at.at(other)].contains(one)));
                const auto& more = done[operation_at.at(one)];
                done[i].insert(more.begin(), more.end());
            }
            const std::pair here{block, step++};
            for (const std::int64_t j : before[i]) {
                const auto at = std::ranges::find_if(
                    operation_at, [&](const auto& known_at) { return known_at.second == static_cast<std::size_t>(j); });
                CHECK(done[i].contains(at->first));
            }
            done[i].insert(here);
            operation_at[here] = i;
            latest[block] = i;
        }
    }
}

TEST_CASE(
    "thread blocks: a peer of more operations than a thread block takes has several, by the number of the message") {
    std::vector<edge> own;
    for (step_t k = 0; k < 10; ++k) own.push_back(send(1, k));
    const auto blocks = msccl_thread_blocks(0, own, list_of(10, std::vector<std::vector<std::int64_t>>(10)), 4, 4);
    REQUIRE(blocks.size() == 3);
    for (std::size_t b = 0; b < 3; ++b) {
        CHECK(blocks[b].lane == static_cast<std::int64_t>(b));
        CHECK(blocks[b].steps.size() == (b < 2 ? 4 : 2));
    }
}

TEST_CASE("thread blocks: operations that the loader combines at once have one size and few operands") {
    const auto runs = [](const std::vector<edge>& own) {
        std::vector<std::vector<std::int64_t>> before(own.size());
        std::vector<std::int64_t> lengths{0};
        for (const msccl_thread_block& block :
             msccl_thread_blocks(0, own, list_of(std::ssize(own), before), 4, 1 << 20))
            for (const msccl_step& one : block.steps) {
                ++lengths.back();
                if (one.waited_for) lengths.push_back(0);
            }
        return lengths;
    };
    std::vector<edge> many, sizes, places;
    for (bytes_t k = 0; k < 40; ++k) {
        many.push_back(combine(4 * k, 0, 4));
        places.push_back(combine(4 * k, 4 * k, 4));
    }
    for (bytes_t k = 0; k < 4; ++k) sizes.push_back(combine(64 * k, 0, k < 2 ? 8 : 4));
    CHECK(runs(many) == std::vector<std::int64_t>{16, 16, 8});
    CHECK(runs(sizes) == std::vector<std::int64_t>{2, 2});
    CHECK(runs(places) == std::vector<std::int64_t>{40});
}

TEST_CASE("thread blocks: those that others wait for come first where ids matter") {
    std::vector<edge> own;
    std::vector<std::vector<std::int64_t>> before;
    for (rank_t to = 1; to <= 300; ++to) {
        own.push_back(send(to, to));
        before.emplace_back();
        if (to > 290) before.back().push_back(to - 11);  // for 280 .. 289
    }
    const auto blocks = msccl_thread_blocks(0, own, list_of(300, before), 4, 64);
    REQUIRE(blocks.size() == 300);
    for (const msccl_thread_block& block : blocks)
        for (const msccl_step& one : block.steps) {
            CHECK(one.waits_for_block < 10);
            if (one.waits_for_block >= 0)
                CHECK(blocks[static_cast<std::size_t>(one.waits_for_block)].sends_to == block.sends_to - 10);
        }
}
