#pragma once

#include "collsched/schedule/parameters.hpp"
#include "collsched/core/bits.hpp"
#include "collsched/schedule/lowering.hpp"

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

}}}  // namespace collsched::COLLSCHED_ABI::allgather
