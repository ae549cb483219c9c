#include "collsched/collective/broadcast/detail/circulant_pipeline.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "support/brief.hpp"
#include "support/layouts.hpp"

using namespace collsched;
using broadcast::detail::circulant_rounds;
using broadcast::detail::circulant_skips;

namespace {

constexpr bool skips_halve(rank_t p) {
    const circulant_skips skip{p};
    for (step_t k = 0; k < skip.rounds; ++k)
        if (skip(k) != skip(k + 1) / 2 + skip(k + 1) % 2) return false;
    return skip(skip.rounds) == p && skip(0) == 1;
}

/// The ranks that v is the sum of: skips from the largest on.
step_t last_summand(rank_t p, rank_t v) {
    const circulant_skips skip{p};
    step_t last = skip.rounds;
    for (step_t k = skip.rounds; k-- > 0;)
        if (skip(k) <= v) v -= skip(k), last = k;
    return v == 0 ? last : -1;
}

/// Whether v receives in a phase each of -q .. -1 once, with `first` in its round instead of first - q.
bool receives_a_phase(const circulant_rounds& graph, rank_t v, const broadcast::detail::round_numbers& in) {
    const step_t q = graph.count(), first = last_summand(graph.ranks, v);
    std::uint64_t seen = 0;
    for (step_t k = 0; k < q; ++k) {
        const step_t number = in[k] == first ? first - q : in[k];
        if (number < -q || number >= 0 || (in[k] == first - q)) return false;
        seen |= std::uint64_t{1} << (number + q);
        if (in[k] == first && !(graph.skip(k) <= v && v < graph.skip(k + 1) && graph.first_round(v) == k)) return false;
    }
    return seen == (std::uint64_t{1} << q) - 1 && graph.first_piece(v) == first;
}

/// Whether v > 0 has the piece to send in round k from the phase before or from an earlier round.
bool has(const circulant_rounds& graph, rank_t v, const broadcast::detail::round_numbers& in, step_t k, step_t piece) {
    if (piece == last_summand(graph.ranks, v) - graph.count()) return true;
    return std::find(in.numbers, in.numbers + k, piece) != in.numbers + k;
}

/// The conditions that a broadcast needs, at rank v.
bool right_at(const circulant_rounds& graph, rank_t v) {
    const auto in = graph.received(v);
    if (v > 0 && !receives_a_phase(graph, v, in)) return false;
    for (step_t k = 0; k < graph.count(); ++k) {
        const rank_t to = (v + graph.skip(k)) % graph.ranks;
        const step_t piece = to == 0 ? 0 : graph.received(to)[k];
        if (v == 0 ? piece != k : to != 0 && !has(graph, v, in, k, piece)) return false;
    }
    return true;
}

/// Whether the conditions hold at all ranks, with one search each.
bool right(rank_t p) {
    const circulant_rounds graph{p};
    std::vector<broadcast::detail::round_numbers> in;
    for (rank_t v = 0; v < p; ++v) in.push_back(graph.received(v));
    for (rank_t v = 0; v < p; ++v) {
        const auto& mine = in[static_cast<std::size_t>(v)];
        if (v > 0 && !receives_a_phase(graph, v, mine)) return false;
        for (step_t k = 0; k < graph.count(); ++k) {
            const rank_t to = (v + graph.skip(k)) % p;
            const step_t piece = in[static_cast<std::size_t>(to)][k];
            if (v == 0 ? piece != k : to != 0 && !has(graph, v, mine, k, piece)) return false;
        }
    }
    return true;
}

/// Numbers of ranks of q rounds at which roundings gather: near powers of two, sums of two powers; and any.
std::vector<rank_t> sampled_ranks(step_t q, support::random_source& random) {
    const rank_t top = rank_t{1} << q, low = top / 2;
    return {top,
            top - 1,
            top - 1 - random.below(low / 2),
            low + 1,
            low + 2 + random.below(6),
            low + (rank_t{1} << random.below(q - 1)) + random.below(2),
            low + 1 + random.below(low),
            low + 1 + random.below(low)};
}

/// The same for ranks: near skips, near the end, and any.
std::vector<rank_t> sampled(const circulant_rounds& graph, support::random_source& random) {
    const rank_t p = graph.ranks, s = graph.skip(random.below(graph.count()));
    return {0, 1, p - 1, s, s - 1, p - s, (s + 1) % p, random.below(p), random.below(p)};
}

}  // namespace

static_assert(skips_halve(2) && skips_halve(17) && skips_halve((rank_t{1} << 61) + 1) &&
              skips_halve(0x3ffffffffffffffe));
static_assert(circulant_skips{1}(0) == 1);

TEST_CASE("circulant_rounds: for 17 ranks equal to the table of the paper") {
    constexpr step_t received[5][17] = {{-4, 0, -5, -4, -3, -5, -2, -5, -4, -3, -1, -5, -4, -3, -5, -2, -5},
                                        {-5, -4, 1, -5, -4, -3, -3, -2, -5, -4, -3, -1, -5, -4, -3, -3, -2},
                                        {-2, -2, -2, 2, 0, -4, -4, -3, -2, -2, -4, -3, -1, -1, -4, -4, -3},
                                        {-1, -3, -3, -2, -2, 3, 0, 1, 2, -5, -2, -2, -2, -2, -1, -1, -1},
                                        {-3, -1, -1, -1, -1, -1, -1, -1, -1, 4, 0, 1, 2, 0, 3, 0, 1}};
    for (rank_t v = 0; v < 17; ++v)
        for (step_t k = 0; k < 5; ++k) CHECK(circulant_rounds{17}.received(v)[k] == received[k][v]);
}

TEST_CASE(
    "circulant_rounds: for p up to 2000, in long runs all, ranks send held pieces and receive each once per phase") {
    const rank_t stride = support::long_run() ? 1 : 5;  // beyond 520
    for (rank_t p = 1; p <= support::most(2000); p += p <= 520 ? 1 : stride) {
        CAPTURE(p);
        CHECK(right(p));
    }
}

TEST_CASE("circulant_rounds: correct for every p at which an iterative form of the search fails") {
    for (const rank_t p : {33,  65,  66,  67,  69,  73,  81,  129, 130, 131, 132, 133, 134, 135, 137,
                           138, 139, 141, 145, 146, 147, 149, 153, 161, 162, 163, 165, 169, 177, 257}) {
        CAPTURE(p);
        CHECK(right(p));
    }
}

TEST_CASE("circulant_rounds: correct for sampled p up to 2^20 and up to the largest accepted one") {
    support::random_source random(1);
    for (step_t q = 3; q <= 61; ++q)
        for (int turn = 0; turn < (q <= 20 ? 20 : 4); ++turn)
            for (const rank_t p : sampled_ranks(q, random)) {
                const circulant_rounds graph{p};
                for (const rank_t v : sampled(graph, random)) {
                    CAPTURE(p);
                    CAPTURE(v);
                    CHECK(right_at(graph, v));
                }
            }
    const circulant_rounds last{(rank_t{1} << 62) - 1};
    CHECK(last.count() == 62);
    for (const rank_t v : sampled(last, random)) CHECK(right_at(last, v));
}

TEST_CASE("circulant_rounds: the search takes O(log p) time, with fewer than 7 (q+1) reads of skips") {
    support::random_source random(2);
    for (step_t q = 1; q <= 61; ++q)
        for (int turn = 0; turn < 10; ++turn)
            for (const rank_t p : sampled_ranks(q < 3 ? 3 : q, random)) {
                const circulant_rounds graph{p};
                for (const rank_t v : sampled(graph, random)) {
                    std::int64_t asked = 0;
                    const auto counting = [&](step_t k) {
                        ++asked;
                        return graph.skip(k);
                    };
                    broadcast::detail::received_search(counting, graph.count(), v, graph.first_piece(v));
                    CAPTURE(p);
                    CAPTURE(v);
                    CHECK(asked < 7 * (graph.count() + 1));
                }
            }
}
