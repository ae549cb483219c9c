#include "collsched/collective/broadcast/circulant_sends.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "support/layouts.hpp"

using namespace collsched;
using broadcast::circulant_rounds;
using broadcast::circulant_sends;

namespace {

/// How many entries of what v sends are looked up.
std::int64_t looked_up(const circulant_rounds& graph, rank_t v) {
    std::int64_t count = 0;
    broadcast::detail::circulant_sends(graph, v, [&](step_t) { return ++count; });
    return count;
}

constexpr bool matches_receivers(const circulant_rounds& graph, rank_t v) {
    const auto out = circulant_sends(graph, v);
    for (step_t k = 0; k < graph.count(); ++k)
        if (out[k] != graph.received((v + graph.skip(k)) % graph.ranks)[k]) return false;
    return true;
}

}  // namespace

static_assert(matches_receivers({2}, 0) && matches_receivers({17}, 9) && matches_receivers({33}, 31));

TEST_CASE("what a rank sends is what the others receive, for every p up to 2000") {
    std::int64_t searches = 0, ranks = 0;
    for (rank_t p = 2; p <= 2000; ++p) {
        const circulant_rounds graph{p};
        std::vector<broadcast::round_numbers> in;
        for (rank_t v = 0; v < p; ++v) in.push_back(graph.received(v));
        bool same = true, few = true;
        for (rank_t v = 0; v < p; ++v, ++ranks) {
            const auto of = [&](step_t k) { return in[static_cast<std::size_t>((v + graph.skip(k)) % p)][k]; };
            const auto out = v == 0 ? circulant_sends(graph, 0) : broadcast::detail::circulant_sends(graph, v, of);
            for (step_t k = 0; k < graph.count(); ++k) same = same && out[k] == of(k);
            if (v == 0) continue;
            const std::int64_t count = looked_up(graph, v);
            few = few && count <= 3 + floor_log2(graph.count());
            searches += count;
        }
        CAPTURE(p);
        CHECK(same);
        CHECK(few);
    }
    CHECK(searches < 2 * ranks);
}

TEST_CASE("the same at sampled p up to 2^62, and 3 + log2 q entries at most are looked up") {
    support::random_source random(3);
    for (step_t q = 3; q <= 61; ++q)
        for (int turn = 0; turn < 15; ++turn) {
            const rank_t low = rank_t{1} << (q - 1);
            for (const rank_t p : {2 * low, low + 1 + random.below(4), low + 1 + random.below(low),
                                   low + (rank_t{1} << random.below(q - 1)) + 1}) {
                const circulant_rounds graph{p};
                const rank_t s = graph.skip(random.below(graph.count()));
                for (const rank_t v : {rank_t{1}, p - 4, p - s, s, s - 1, random.below(p), random.below(p)}) {
                    CAPTURE(p);
                    CAPTURE(v);
                    CHECK(matches_receivers(graph, v));
                    if (v > 0) CHECK(looked_up(graph, v) <= 3 + floor_log2(graph.count()));
                }
            }
        }
}
