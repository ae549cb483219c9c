#include "collsched/collective/allgather/locality_bruck.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/block_counts.hpp"
#include "support/layouts.hpp"
#include "support/parameters.hpp"
#include "support/proofs.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(support::has_parameters<allgather::locality_bruck>({{"group", 2}}));
static_assert(support::proved_for<allgather::locality_bruck, 1, 2, 4, 6, 8, 10, 12, 14, 16>);
static_assert(proved<verify(allgather::locality_bruck{.ranks = 15, .block = 3, .group = 3})>);
static_assert(proved<verify(allgather::locality_bruck{.ranks = 15, .block = 3, .group = 5}, binding::in_place)>);
static_assert(
    proved<verify(allgather::locality_bruck{.ranks = 12, .block = support::awkward_blocks<12>(), .group = 4})>);

namespace {

/// f(p, R) for every p up to `most` and every number of ranks a region from 2 to p that divides it.
template <class F>
void for_each_region(rank_t most, F f) {
    for (rank_t p = 2; p <= most; ++p)
        for (rank_t region = 2; region <= p; ++region)
            if (p % region == 0) f(p, region);
}

rank_t logarithm(rank_t base, rank_t n) {
    rank_t exponent = 0;
    for (rank_t reached = 1; reached < n; reached *= base) ++exponent;
    return exponent;
}

/// The regions whose blocks rank r sends to other regions by the definition, by step and target.
std::map<std::pair<step_t, rank_t>, std::set<rank_t>> across(rank_t p, rank_t region, rank_t r) {
    std::map<std::pair<step_t, rank_t>, std::set<rank_t>> sent;
    const rank_t regions = p / region, home = r / region, within = logarithm(2, region);
    rank_t held = 1;
    for (step_t k = within; held < regions; k += within + 1, held *= region) {
        const rank_t away = r % region * held;  // regions
        if (away == 0 || away >= regions) continue;
        const rank_t target = (home - away + regions) % regions * region + r % region;
        for (rank_t i = 0; i < held && away + i < regions; ++i) sent[{k, target}].insert((home + i) % regions);
    }
    return sent;
}

}  // namespace

TEST_CASE("allgather::locality_bruck: rounds and bytes equal their formulas, for every region that divides p") {
    for_each_region(256, [](rank_t p, rank_t region) {
        if (p > 100 && region != 4 && region != 16 && region != p / 2) return;
        CAPTURE(p);
        CAPTURE(region);
        const metrics_report m = support::measured(allgather::locality_bruck{.ranks = p, .block = 8, .group = region});
        CHECK(m.rounds == logarithm(region, p) * (logarithm(2, region) + 1) - 1);
        CHECK(m.steps == m.rounds);
        CHECK(m.max_in_degree == 1);
        CHECK(m.max_out_degree == 1);
        for (rank_t r = 0; r < p; ++r) CHECK(m.bytes_received[r] == 8 * (p - 1));
    });
}

TEST_CASE("allgather::locality_bruck: messages between regions are exactly those of the definition") {
    for_each_region(96, [](rank_t p, rank_t region) {
        CAPTURE(p);
        CAPTURE(region);
        std::vector<rank_t> out(static_cast<std::size_t>(p / region)), in = out;
        for (rank_t r = 0; r < p; ++r) {
            auto expected = across(p, region, r);
            const rank_t messages = r % region == 0 ? 0 : logarithm(region, (p - 1) / (r % region) + 1) - 1;
            CHECK(std::ssize(expected) == messages);
            for (const auto& [message, blocks] :
                 support::sent_blocks(allgather::locality_bruck{.ranks = p, .block = 1, .group = region}, r).messages) {
                if (message.second / region == r / region) continue;
                out[static_cast<std::size_t>(r / region)] += std::ssize(blocks);
                in[static_cast<std::size_t>(message.second / region)] += std::ssize(blocks);
                REQUIRE(expected.contains(message));
                std::set<rank_t> whole;
                for (const rank_t of : expected[message])
                    for (rank_t i = 0; i < region; ++i) whole.insert(of * region + i);
                CHECK(blocks == whole);
                expected.erase(message);
            }
            CHECK(expected.empty());
        }
        for (const auto& crossed : {out, in})
            CHECK(std::all_of(crossed.begin(), crossed.end(), [=](rank_t n) { return n == p - region; }));
    });
}

TEST_CASE("allgather::locality_bruck: after stage i every rank received R^(i+1) blocks from its region's first on") {
    for_each_region(60, [](rank_t p, rank_t region) {
        CAPTURE(p);
        CAPTURE(region);
        const step_t within = logarithm(2, region);
        std::vector<std::set<rank_t>> held(static_cast<std::size_t>(p));
        for (rank_t r = 0; r < p; ++r) held[static_cast<std::size_t>(r)].insert(r);
        step_t step = 0, end = within;  // of the stage
        rank_t blocks = region;
        const auto check_stage = [&] {
            for (rank_t r = 0; r < p; ++r) {
                std::set<rank_t> expected;
                for (rank_t i = 0; i < std::min(blocks, p); ++i) expected.insert((r / region * region + i) % p);
                CHECK(held[static_cast<std::size_t>(r)] == expected);
            }
        };
        const stored_schedule s = materialize(allgather::locality_bruck{.ranks = p, .block = 1, .group = region});
        for (const edge& e : s.edges()) {
            REQUIRE(e.step >= step);
            for (step = e.step; step >= end; end += within + 1, blocks *= region) check_stage();
            for (bytes_t i = 0; i < e.size && !e.is_local(); ++i)
                CHECK(held[static_cast<std::size_t>(e.dst)].insert(e.into_offset + i).second);
        }
        check_stage();
        CHECK(blocks >= p);
    });
}

TEST_CASE("allgather::locality_bruck: a region of p or more ranks gives the circulant algorithm") {
    for (rank_t p = 1; p <= 33; ++p)
        for (const rank_t group : {p, p + 1, INT64_MAX})
            if (group > 1)
                CHECK(support::same_edges(allgather::circulant{.ranks = p, .block = 3},
                                          allgather::locality_bruck{.ranks = p, .block = 3, .group = group}));
}

TEST_CASE("allgather::locality_bruck: verified for every region and all blocks, separate and in place") {
    for_each_region(64, [](rank_t p, rank_t region) {
        CAPTURE(p);
        CAPTURE(region);
        for (const auto& [name, blocks] : support::layouts(p)) {
            if (p > 24 && name != "shuffled gaps") continue;
            CAPTURE(name);
            const allgather::locality_bruck x{.ranks = p, .block = blocks, .group = region};
            CHECK(support::verified(x).ok());
            CHECK(support::verified(x, binding::in_place).ok());
        }
    });
}

TEST_CASE("allgather::locality_bruck: one rank of very many pays no cost of O(p)") {
    const std::pair<rank_t, rank_t> shapes[] = {
        {rank_t{1} << 20, 64}, {rank_t{7} * 1000003, 7}, {rank_t{1} << 50, rank_t{1} << 40}, {rank_t{1} << 61, 2}};
    for (const auto& [ranks, group] : shapes)
        for (const rank_t r : {rank_t{0}, ranks / 3, ranks - 1}) {
            CAPTURE(ranks);
            CAPTURE(r);
            bytes_t got = 0;
            for (const edge& e : program(allgather::locality_bruck{.ranks = ranks, .block = 1, .group = group}, r))
                if (e.dst == r && !e.is_local()) got += e.size;
            CHECK(got == ranks - 1);
        }
}

TEST_CASE("allgather::locality_bruck: a region that does not divide p, or has one rank, is rejected") {
    const auto error_of = [](const allgather::locality_bruck& parameters) {
        return std::string(check(parameters).text().c_str());
    };
    CHECK(error_of({.ranks = 9, .block = 1, .group = 4}) ==
          "ranks: got 9, expected a multiple of group, or less than group");
    CHECK(error_of({.ranks = 9, .block = 1, .group = 1}) ==
          "group: got 1, expected 2 or more: one rank alone shares no way");
    CHECK(error_of({.ranks = 1, .block = 1, .group = 0}) ==
          "group: got 0, expected 2 or more: one rank alone shares no way");
}
