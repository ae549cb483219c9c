#pragma once

#include "collsched/core/digits.hpp"
#include "collsched/schedule/lowering.hpp"
#include "collsched/schedule/parameters.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace allgather {

/// Every rank sends all blocks that it holds to both sides of a ring, over distances that are powers of 3.
///
/// p a power of 3: in step k the distance is d = p / 3^(k+1), and rank r holds the blocks that are congruent to r modulo
/// 3d. So each link of a ring in rank order carries p/3 blocks per step and direction. Other p: in step k the distance
/// is 3^k, and rank r holds the 3^k blocks around its own. In the last step it receives only the p - 3^k blocks that it
/// lacks, half of them from each side.
///
/// Rounds ceil(log3 p) for every p, the fewest with two messages per rank; every rank sends and receives p-1 blocks. The
/// longer side receives one block more if p is even. No scratch. Each message has one interval of blocks if p is no power
/// of 3, else O(p/d) blocks.
/// Source: derived from the abstract of "Trivance" (arXiv 2602.17254), an allreduce in log3 p rounds on bidirectional
/// rings. Other p are our extension.
struct trivance {
    rank_t ranks = 1;
    block_layout block = 0;

    static constexpr algorithm_info info{.collective = collective::allgather,
                                         .name = "trivance",
                                         .rounds = "ceil(log3 p)",
                                         .source = "Trivance, arXiv 2602.17254, for powers of 3"};

    constexpr argument_error check() const {
        return ranks >= rank_t{1} << 61 ? argument_error{"ranks", ranks, "less than 2^61"} : argument_error{};
    }
    constexpr step_t steps() const { return ceil_log(3, ranks); }

    constexpr void targets(rank_t r, step_t k, auto f) const { peers(r, k, below(k), above(k), f); }
    constexpr void sources(rank_t r, step_t k, auto f) const { peers(r, k, above(k), below(k), f); }
    constexpr void message(rank_t src, rank_t dst, step_t k, auto f) const {
        const rank_t d = distance(k);
        if (is_power_of_3()) {
            for (rank_t i = src % (3 * d); i < block.filled_end(ranks); i += 3 * d) f(block_interval{i, 1});
            return;
        }
        const rank_t radius = d / 2;  // of the blocks around src that it holds
        const bool up = wrap(src + d, ranks) == dst, down = wrap(src - d, ranks) == dst;
        if (up && down) f(block_interval{wrap(dst + radius + 1, ranks), above(k) + below(k)});
        else if (up) f(block_interval{wrap(src + radius + 1 - below(k), ranks), below(k)});
        else f(block_interval{wrap(src - radius, ranks), above(k)});
    }

    static constexpr void parameters(auto& self, auto f) { collsched::detail::contract_parameters(self, f); }
    bool operator==(const trivance&) const = default;

  private:
    constexpr bool is_power_of_3() const { return power(3, floor_log(3, ranks)) == ranks; }
    constexpr rank_t distance(step_t k) const { return power(3, is_power_of_3() ? steps() - 1 - k : k); }
    /// Returns the number of blocks that a rank receives from the rank above, or below, in step k.
    constexpr rank_t above(step_t k) const { return received(k) - below(k); }
    constexpr rank_t below(step_t k) const { return received(k) / 2; }
    constexpr rank_t received(step_t k) const {
        const rank_t held = power(3, k);
        return ranks - held < 2 * held ? ranks - held : 2 * held;
    }
    /// Calls f for the rank above r with a message of `up` blocks, and for that below with one of `down` blocks.
    constexpr void peers(rank_t r, step_t k, rank_t up, rank_t down, auto& f) const {
        const rank_t upper = wrap(r + distance(k), ranks), lower = wrap(r - distance(k), ranks);
        if (up > 0) f(upper);
        if (down > 0 && (up == 0 || lower != upper)) f(lower);
    }
};

}}}  // namespace collsched::COLLSCHED_ABI::allgather
