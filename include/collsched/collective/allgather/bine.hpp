#pragma once

#include "collsched/collective/allgather/swing.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace allgather {

/// The butterfly of Bine trees with contiguous blocks: in step k rank r exchanges all blocks that it holds with its
/// swing_peer at level k, in order of increasing distance. Before step k a rank holds 2^k cyclically consecutive
/// blocks. The blocks of its peer are adjacent to them: above for r + k even, below for r + k odd. In the last step a
/// rank receives only the p - 2^k blocks that it lacks.
///
/// Rounds ceil(log2 p), p even (or 1); every rank sends and receives p-1 blocks, in ceil(log2 p) messages of at most
/// two contiguous ranges. No scratch.
/// Source: De Sensi et al. 2025, "Bine trees".
struct bine {
    rank_t ranks = 1;
    block_layout block = 0;

    static constexpr algorithm_info info{.collective = collective::allgather,
                                         .name = "bine",
                                         .ranks = "even",
                                         .rounds = "ceil(log2 p)",
                                         .source = "De Sensi et al. 2025"};

    constexpr argument_error check() const {
        return ranks == 1 || ranks % 2 == 0 ? argument_error{} : argument_error{"ranks", ranks, "an even number, or 1"};
    }
    constexpr step_t steps() const { return ceil_log2(ranks); }

    constexpr void targets(rank_t r, step_t k, auto f) const { f(detail::swing_peer(r, k, ranks)); }
    constexpr void sources(rank_t r, step_t k, auto f) const { f(detail::swing_peer(r, k, ranks)); }
    constexpr void message(rank_t src, rank_t, step_t k, auto f) const {
        const rank_t held = rank_t{1} << k, sent = held < ranks - held ? held : ranks - held;
        const rank_t skipped = (src + k) % 2 == 0 ? held - sent : 0;  // the target's side is above
        f(block_interval{wrap(first_held(src, k) + skipped, ranks), sent});
    }

    static constexpr void parameters(auto& self, auto f) { collsched::detail::contract_parameters(self, f); }
    bool operator==(const bine&) const = default;

  private:
    /// Returns the first of the 2^k blocks that r holds before step k. Step j adds 2^j blocks below if r + j is odd.
    constexpr rank_t first_held(rank_t r, step_t k) const {
        const rank_t held = rank_t{1} << k, odd_steps = 0x2AAAAAAAAAAAAAAA & (held - 1);
        return wrap(r - (r % 2 == 0 ? odd_steps : held - 1 - odd_steps), ranks);
    }
};

}}}  // namespace collsched::COLLSCHED_ABI::allgather
