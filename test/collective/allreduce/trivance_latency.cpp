#include "collsched/collective/allreduce/trivance_latency.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "collsched/core/digits.hpp"
#include "collsched/schedule/edge_views.hpp"
#include "collsched/verify/combination_trees.hpp"
#include "support/allreduces.hpp"
#include "support/brief.hpp"
#include "support/verified.hpp"

using namespace collsched;
using allreduce::trivance_latency;

static_assert(support::allreduce_proved_up_to<support::of_bytes<trivance_latency>, 9>);
static_assert(trivance_latency::info.commutative);
static_assert(
    reproducible<association(trivance_latency{.ranks = 9, .bytes = 4, .element = 2}), association_class::position>);

namespace {

rank_t without_threes(rank_t p) {
    while (p % 3 == 0) p /= 3;
    return p;
}

/// The rounds, in order, in which each rank receives: by rank, the sources of each round.
std::vector<std::vector<std::set<rank_t>>> sources_by_round(const trivance_latency& x) {
    std::vector<std::vector<std::set<rank_t>>> rounds(static_cast<std::size_t>(ceil_log(3, x.ranks)));
    step_t last = -1;
    std::size_t round = 0, next = 0;
    for (step_t k = 0; k < lower(x).steps(); ++k)
        for (const edge& e : edges_at(x, k)) {
            if (e.is_local()) continue;
            if (k != last) round = next++, rounds.at(round).resize(static_cast<std::size_t>(x.ranks));
            last = k;
            rounds.at(round).at(static_cast<std::size_t>(e.dst)).insert(e.src);
        }
    return rounds;
}

}  // namespace

TEST_CASE("allreduce::trivance_latency: correct for every number of ranks, with the same bits on all ranks") {
    CHECK(support::check_allreduce(support::of_bytes<trivance_latency>, false) == 64);
    support::check_sums(support::of_bytes<trivance_latency>);
}

TEST_CASE("allreduce::trivance_latency: ceil(log3 p) rounds, 2 m bytes received per rank and round at most") {
    for (rank_t p = 1; p <= support::most(260); ++p) {
        CAPTURE(p);
        const rank_t q = without_threes(p);
        const step_t rounds = ceil_log(3, p), within_blocks = ceil_log(3, q);
        const metrics_report m = support::measured(trivance_latency{.ranks = p, .bytes = 8, .element = 8});
        CHECK(m.rounds == rounds);
        const bytes_t on_ring = 16 * (rounds - within_blocks);
        for (rank_t r = 0; r < p; ++r) {
            CHECK(m.bytes_received[r] <= 16 * rounds);
            CHECK(m.bytes_received[r] >= on_ring + 8 * within_blocks - (q > 1 ? 8 : 0));
            CHECK(m.bytes_sent[r] <= on_ring + 32 * within_blocks);
            CHECK(m.bytes_sent[r] >= on_ring);
            CHECK(m.scratch[r] == (p == 1 ? 0 : 16));
        }
    }
}

TEST_CASE("allreduce::trivance_latency: the sums of each round add up to all ranks, each once") {
    for (rank_t p = 1; p <= support::most(100); ++p) {
        CAPTURE(p);
        std::vector<std::multiset<rank_t>> sums;
        for (rank_t r = 0; r < p; ++r) sums.push_back({r});
        for (const auto& round : sources_by_round({.ranks = p, .bytes = 8, .element = 8})) {
            auto next = sums;
            for (std::size_t r = 0; r < round.size(); ++r)
                for (const rank_t source : round[r]) {
                    const auto& sum = sums[static_cast<std::size_t>(source)];
                    next[r].insert(sum.begin(), sum.end());
                }
            sums = std::move(next);
        }
        for (const auto& sum : sums) {
            CHECK(static_cast<rank_t>(sum.size()) == p);
            CHECK(static_cast<rank_t>(std::set<rank_t>(sum.begin(), sum.end()).size()) == p);
        }
    }
}

TEST_CASE("allreduce::trivance_latency: on the ring every rank exchanges with those p/3, p/9, ... q places away") {
    for (rank_t p = 3; p <= support::most(260); p += 3) {
        CAPTURE(p);
        const auto rounds = sources_by_round({.ranks = p, .bytes = 8, .element = 8});
        const rank_t q = without_threes(p);
        rank_t d = p;
        for (auto round = rounds.begin() + ceil_log(3, q); round != rounds.end(); ++round) {
            d /= 3;
            for (rank_t r = 0; r < p; ++r)
                CHECK(round->at(static_cast<std::size_t>(r)) == std::set<rank_t>{(r + d) % p, (r - d + p) % p});
        }
        CHECK(d == q);
    }
}

TEST_CASE("allreduce::trivance_latency: within a block every source is in the block, less than 2 parts away") {
    for (rank_t p = 1; p <= support::most(130); ++p) {
        CAPTURE(p);
        const rank_t q = without_threes(p);
        const auto rounds = sources_by_round({.ranks = p, .bytes = 8, .element = 8});
        const step_t within_blocks = ceil_log(3, q);
        for (step_t i = 0; i < within_blocks; ++i) {
            const rank_t merged = (q - 1) / power(3, within_blocks - 1 - i) + 1;  // ranks of the largest interval
            for (rank_t r = 0; r < p; ++r)
                for (const rank_t source : rounds.at(static_cast<std::size_t>(i)).at(static_cast<std::size_t>(r))) {
                    CHECK(source / q == r / q);
                    CHECK(std::abs(source - r) <= 2 * ((merged - 1) / 3 + 1));
                }
        }
    }
}

TEST_CASE("allreduce::trivance_latency: all bytes of all ranks have one tree") {
    for (rank_t p = 1; p <= support::most(81); ++p) {
        CAPTURE(p);
        CHECK(association(trivance_latency{.ranks = p, .bytes = 4, .element = 2}).has(association_class::position));
    }
}

TEST_CASE("allreduce::trivance_latency: wrong parameters are reported") {
    using x = trivance_latency;
    CHECK(check(x{.ranks = 0}).argument == std::string("ranks"));
    CHECK(std::string(check(x{.ranks = rank_t{1} << 61}).text().c_str()) ==
          "ranks: got 2305843009213693952, expected less than 2^61");
    CHECK(check(x{.ranks = 4, .bytes = INT64_MAX / 2 + 1}).expected == std::string("2 * bytes below 2^63"));
    CHECK(!check(x{.ranks = 4, .bytes = INT64_MAX / 2}));
}
