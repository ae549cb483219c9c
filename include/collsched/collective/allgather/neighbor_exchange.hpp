#pragma once

#include "collsched/schedule/parameters.hpp"
#include "collsched/schedule/lowering.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace allgather {

/// Neighbors exchange two blocks at a time, alternately to the right and to the left.
///
/// p even: in step 0 even ranks exchange their block with the right neighbor, odd ranks with the left one. In step 1
/// each rank exchanges its two blocks with the other neighbor. Every further step alternates sides and exchanges the
/// two blocks received in the step before. p odd: first rank p-1 sends its block to p-2. The other ranks run the even
/// algorithm, in which block p-1 accompanies block p-2. Finally, p-2 sends p-1 the p-1 blocks that it lacks.
///
/// Rounds p/2 for even p, (p+3)/2 for odd p > 1; every rank receives p-1 blocks. For even p it sends as many. For odd p
/// it sends at most 2p-1 blocks, rank p-1 one. No scratch. ALCD 2 - 2/p where 4 divides p, 2 - 4/p + 4/p^2 for other
/// even p.
/// Source: Chen, Zhang, Zhang, Yuan 2006, section 3.
struct neighbor_exchange {
    rank_t ranks = 1;
    block_layout block = 0;

    static constexpr algorithm_info info{.collective = collective::allgather,
                                         .name = "neighbor-exchange",
                                         .rounds = "p/2; (p+3)/2 where p is odd; 0 for p = 1",
                                         .source = "Chen, Zhang, Zhang, Yuan 2006"};

    constexpr step_t steps() const { return ranks == 1 ? 0 : ring() / 2 + (odd() ? 2 : 0); }

    constexpr step_t next(rank_t r, step_t k) const { return k == 0 || r < ring() || k >= steps() ? k : steps() - 1; }

    constexpr void targets(rank_t r, step_t k, auto f) const {
        if (joins(k)) {
            if (r == ring()) f(r - 1);
        } else if (leaves(k)) {
            if (r == ring() - 1) f(r + 1);
        } else if (r < ring()) {
            f(neighbor(r, exchange(k)));
        }
    }
    constexpr void sources(rank_t r, step_t k, auto f) const {
        if (joins(k)) {
            if (r == ring() - 1) f(r + 1);
        } else if (leaves(k)) {
            if (r == ring()) f(r - 1);
        } else if (r < ring()) {
            f(neighbor(r, exchange(k)));
        }
    }
    constexpr void message(rank_t src, rank_t, step_t k, auto f) const {
        if (joins(k)) return f(block_interval{src, 1});
        if (leaves(k)) return f(block_interval{0, ring()});
        const step_t x = exchange(k);
        const rank_t first = x == 0 ? src : pair_sent(src, x), count = x == 0 ? 1 : 2;
        f(block_interval{first, count + (odd() && first + count == ring() ? 1 : 0)});
    }

    static constexpr void parameters(auto& self, auto f) { collsched::detail::contract_parameters(self, f); }
    bool operator==(const neighbor_exchange&) const = default;

  private:
    constexpr bool odd() const { return ranks % 2 == 1; }
    /// Returns the even number of ranks in the exchange.
    constexpr rank_t ring() const { return ranks - (odd() ? 1 : 0); }
    constexpr bool joins(step_t k) const { return odd() && k == 0; }
    constexpr bool leaves(step_t k) const { return odd() && k == steps() - 1; }
    constexpr step_t exchange(step_t k) const { return odd() ? k - 1 : k; }

    constexpr rank_t neighbor(rank_t r, step_t x) const {
        const bool to_right = (r % 2 == 0) == (x % 2 == 0);
        return wrap(to_right ? r + 1 : r - 1, ring());
    }
    /// Returns the first of the two blocks that r sends in exchange x > 0: first its own pair, then the last pair
    /// received, which originates x/2 pairs away on alternating sides.
    constexpr rank_t pair_sent(rank_t r, step_t x) const {
        const rank_t even_rank = r - r % 2, distance = x / 2 * 2;
        return wrap((r % 2 == 0) == (x % 2 == 0) ? even_rank - distance : even_rank + distance, ring());
    }
};

}}}  // namespace collsched::COLLSCHED_ABI::allgather
