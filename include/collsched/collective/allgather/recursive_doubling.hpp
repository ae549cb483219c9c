#pragma once

#include "collsched/schedule/parameters.hpp"
#include "collsched/core/bits.hpp"
#include "collsched/schedule/lowering.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace allgather {

/// Ranks exchange all blocks that they hold with the rank at distance 1, 2, 4 ...
///
/// p a power of two: step k pairs r with r xor 2^k. Otherwise, with P = 2^floor(log2 p) and rem = p - P: first rank
/// 2j+1 sends its block to 2j, j < rem. Then the ranks 0, 2 .. 2rem-2, 2rem .. p-1, numbered 0 .. P-1, run the
/// power-of-two algorithm with the blocks that they hold. Finally, 2j sends 2j+1 the p-1 blocks that it lacks.
///
/// Rounds log2 p, or floor(log2 p) + 2. Every rank receives p-1 blocks. It sends p-1, or less than 3(p-1) if p is no
/// power of two. No scratch. ALCD (p-1)/log2 p for a power of two.
/// Source: Thakur, Rabenseifner, Gropp 2005; Chen et al. 2006, section 2.2.
struct recursive_doubling {
    rank_t ranks = 1;
    block_layout block = 0;

    static constexpr algorithm_info info{.collective = collective::allgather,
                                         .name = "recursive-doubling",
                                         .rounds = "log2 p; floor(log2 p)+2 where p is no power of two",
                                         .source = "Thakur, Rabenseifner, Gropp 2005"};

    constexpr step_t steps() const { return floor_log2(ranks) + (folds() ? 2 : 0); }

    constexpr step_t next(rank_t r, step_t k) const { return k == 0 || active(r) || k >= steps() ? k : steps() - 1; }

    constexpr void targets(rank_t r, step_t k, auto f) const {
        if (fold(k)) {
            if (!active(r)) f(r - 1);
        } else if (unfold(k)) {
            if (has_guest(r)) f(r + 1);
        } else if (active(r)) {
            f(partner(r, k));
        }
    }
    constexpr void sources(rank_t r, step_t k, auto f) const {
        if (fold(k)) {
            if (has_guest(r)) f(r + 1);
        } else if (unfold(k)) {
            if (!active(r)) f(r - 1);
        } else if (active(r)) {
            f(partner(r, k));
        }
    }
    constexpr void message(rank_t src, rank_t dst, step_t k, auto f) const {
        if (fold(k)) return f(block_interval{src, 1});
        if (unfold(k)) return f(block_interval{wrap(dst + 1, ranks), ranks - 1});
        const rank_t width = distance(k), group = number(src) & -width;
        f(block_interval{rank_of(group), rank_of(group + width) - rank_of(group)});
    }

    static constexpr void parameters(auto& self, auto f) { collsched::detail::contract_parameters(self, f); }
    bool operator==(const recursive_doubling&) const = default;

  private:
    constexpr rank_t rem() const { return ranks - floor_power_of_two(ranks); }
    constexpr bool folds() const { return (ranks & (ranks - 1)) != 0; }
    constexpr bool fold(step_t k) const { return k == 0 && folds(); }
    constexpr bool unfold(step_t k) const { return folds() && k == steps() - 1; }
    constexpr bool has_guest(rank_t r) const { return r < 2 * rem() && r % 2 == 0; }
    constexpr bool active(rank_t r) const { return r >= 2 * rem() || r % 2 == 0; }

    constexpr rank_t number(rank_t r) const { return r < 2 * rem() ? r / 2 : r - rem(); }
    /// Returns the rank with this number; p for number P.
    constexpr rank_t rank_of(rank_t number) const { return number < rem() ? 2 * number : number + rem(); }
    constexpr rank_t distance(step_t k) const { return rank_t{1} << (k - (folds() ? 1 : 0)); }
    constexpr rank_t partner(rank_t r, step_t k) const { return rank_of(number(r) ^ distance(k)); }
};

}}}  // namespace collsched::COLLSCHED_ABI::allgather
