#pragma once

#include "collsched/core/bits.hpp"
#include "collsched/schedule/lowering.hpp"
#include "collsched/schedule/parameters.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace allgather {

namespace detail {

/// Returns the peer of rank r at level s of a swing: r + rho(s) for even r, r - rho(s) for odd r, where rho(s) = 1 - 2
/// + 4 - ... + (-2)^s = 1, -1, 3, -5, 11, ... The peer's peer is r.
/// @pre p even, 2^s < p
constexpr rank_t swing_peer(rank_t r, step_t s, rank_t p) {
    const rank_t power = rank_t{2} << s, rho = (1 + (s % 2 == 0 ? power : -power)) / 3;
    return wrap(r % 2 == 0 ? r + rho : r - rho, p);
}

}  // namespace detail

/// Ranks exchange all blocks that they hold with a rank at a short distance, alternately to the left and to the right:
/// in step k rank r exchanges with its swing_peer at level s = log2 p - 1 - k, in order of decreasing distance.
///
/// Before that step it holds the blocks that are congruent to r or to its peer at level s+1, modulo 2^(s+2); in step 0
/// its own.
///
/// Rounds log2 p, p a power of two; every rank sends and receives p-1 blocks, in log2 p messages. No scratch. Distances
/// are about two thirds of those of recursive doubling.
/// Source: De Sensi et al. 2024, "Swing".
struct swing {
    rank_t ranks = 1;
    block_layout block = 0;

    static constexpr algorithm_info info{.collective = collective::allgather,
                                         .name = "swing",
                                         .ranks = "power_of_two",
                                         .rounds = "log2 p",
                                         .source = "De Sensi et al. 2024"};

    constexpr argument_error check() const {
        return is_power_of_two(ranks) ? argument_error{} : argument_error{"ranks", ranks, "a power of two"};
    }
    constexpr step_t steps() const { return floor_log2(ranks); }

    constexpr void targets(rank_t r, step_t k, auto f) const { f(detail::swing_peer(r, level(k), ranks)); }
    constexpr void sources(rank_t r, step_t k, auto f) const { f(detail::swing_peer(r, level(k), ranks)); }
    constexpr void message(rank_t src, rank_t, step_t k, auto f) const {
        if (k == 0) return f(block_interval{src, 1});
        const step_t above = level(k) + 1;
        const rank_t modulus = rank_t{2} << above, peer = detail::swing_peer(src, above, ranks);
        for (rank_t start = 0; start < block.filled_end(ranks); start += modulus) {
            f(block_interval{start + src % modulus, 1});
            f(block_interval{start + peer % modulus, 1});
        }
    }

    static constexpr void parameters(auto& self, auto f) { collsched::detail::contract_parameters(self, f); }
    bool operator==(const swing&) const = default;

  private:
    constexpr step_t level(step_t k) const { return steps() - 1 - k; }
};

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
