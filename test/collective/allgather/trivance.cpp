#include "collsched/collective/allgather/trivance.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "collsched/schedule/edge_views.hpp"
#include "collsched/verify/verify.hpp"
#include "support/block_counts.hpp"
#include "support/brief.hpp"
#include "support/parameters.hpp"
#include "support/proofs.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(support::has_parameters<allgather::trivance>());
static_assert(support::proved_up_to_17<allgather::trivance>::value);

namespace {

/// The smallest q with 3^q >= p.
step_t log3(rank_t p) {
    step_t q = 0;
    for (rank_t reach = 1; reach < p; reach *= 3) ++q;
    return q;
}

/// The distance of two ranks on a ring of p.
rank_t on_ring(rank_t r, rank_t s, rank_t p) {
    const rank_t forward = (s - r + p) % p;
    return forward < p - forward ? forward : p - forward;
}

/// The blocks that all ranks hold before each step: they grow by all blocks of both neighbors at the distance.
std::vector<std::vector<std::set<rank_t>>> held_by_union(rank_t p, const std::vector<rank_t>& distances) {
    std::vector<std::vector<std::set<rank_t>>> held(1, std::vector<std::set<rank_t>>(static_cast<std::size_t>(p)));
    for (rank_t r = 0; r < p; ++r) held[0][static_cast<std::size_t>(r)] = {r};
    for (const rank_t d : distances) {
        std::vector<std::set<rank_t>> after = held.back();
        for (rank_t r = 0; r < p; ++r)
            for (const rank_t peer : {(r + d) % p, (r - d + p) % p})
                after[static_cast<std::size_t>(r)].insert(held.back()[static_cast<std::size_t>(peer)].begin(),
                                                          held.back()[static_cast<std::size_t>(peer)].end());
        held.push_back(after);
    }
    return held;
}

}  // namespace

TEST_CASE("allgather::trivance: correct in ceil(log3 p) rounds, and every rank sends and receives p-1 blocks") {
    for (rank_t p = 1; p <= support::most(250); ++p) {
        CAPTURE(p);
        const allgather::trivance x{.ranks = p, .block = 8};
        CHECK(support::verified(x).ok());
        const metrics_report m = support::measured(x);
        CHECK(m.rounds == log3(p));
        CHECK(m.steps == (p == 1 ? 1 : log3(p)));
        support::check_counts(x, log3(p), m.messages);
        CHECK(m.max_in_degree <= 2);
        CHECK(m.max_out_degree <= 2);
    }
}

TEST_CASE("allgather::trivance: irregular blocks, some of them empty, are right") {
    for (rank_t p = 1; p <= 30; ++p) {
        std::vector<bytes_t> counts;
        for (rank_t r = 0; r < p; ++r) counts.push_back(r * r % 4);
        CAPTURE(p);
        CHECK(support::verified(allgather::trivance{.ranks = p, .block = block_layout(counts)}).ok());
    }
}

TEST_CASE("allgather::trivance: in each step a rank receives from both sides what the oracle of sets holds") {
    for (rank_t p = 2; p <= support::most(90); ++p) {
        CAPTURE(p);
        std::vector<rank_t> distances{1};
        while (distances.back() * 3 < p) distances.push_back(distances.back() * 3);
        const bool power = distances.back() * 3 == p;
        if (power) std::ranges::reverse(distances);
        const auto expected = held_by_union(p, distances);
        auto held = expected[0];
        step_t step = 0;
        const auto check_held = [&](step_t before) {
            for (; step < before; ++step) CHECK(held == expected[static_cast<std::size_t>(step)]);
        };
        std::vector<edge> messages;
        for (const edge& e : edges(allgather::trivance{.ranks = p, .block = 1}))
            if (!e.is_local()) messages.push_back(e);
        std::ranges::stable_sort(messages, {}, &edge::step);
        for (const edge& e : messages) {
            check_held(e.step + 1);
            const auto k = static_cast<std::size_t>(e.step);
            const rank_t d = distances[k];
            CHECK(on_ring(e.src, e.dst, p) == (d < p - d ? d : p - d));
            for (bytes_t b = e.into_offset; b < e.into_offset + e.size; ++b) {
                CHECK(expected[k][static_cast<std::size_t>(e.src)].contains(b));
                CHECK(held[static_cast<std::size_t>(e.dst)].insert(b).second);
            }
        }
        CHECK(held == expected.back());
        CHECK(held[0].size() == static_cast<std::size_t>(p));
    }
}

TEST_CASE("allgather::trivance: for p a power of 3 a link of a ring carries p/3 blocks per step and direction") {
    for (const rank_t p : {3, 9, 27, 81}) {
        std::vector<std::vector<rank_t>> load(static_cast<std::size_t>(log3(p)),
                                              std::vector<rank_t>(static_cast<std::size_t>(p)));
        for (const edge& e : edges(allgather::trivance{.ranks = p, .block = 1})) {
            if (e.is_local() || on_ring(e.src, e.dst, p) != (e.dst - e.src + p) % p) continue;  // upwards
            for (rank_t r = e.src; r != e.dst; r = (r + 1) % p)
                load[static_cast<std::size_t>(e.step)][static_cast<std::size_t>(r)] += e.size;
        }
        for (const auto& step : load)
            for (const rank_t blocks : step) CHECK(blocks == p / 3);
    }
}

TEST_CASE("allgather::trivance: too many ranks are reported") {
    CHECK(check(allgather::trivance{.ranks = rank_t{1} << 61}).argument == std::string("ranks"));
    CHECK(check(allgather::trivance{.ranks = 0}).argument == std::string("ranks"));
}
