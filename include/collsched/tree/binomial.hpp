#pragma once

#include <bit>
#include <cstdint>

#include "collsched/core/bits.hpp"
#include "collsched/core/argument_error.hpp"
#include "collsched/core/rank.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace trees {

/// Binomial tree with halving distances: the parent of v is v without its lowest set bit. The children are v + 2^j
/// below that bit (for the root: all 2^j < p), in order of decreasing distance. The edge over distance 2^j has step
/// q-1-j, with q = ceil(log2 p). Subtrees are contiguous: v .. min(v + lowest set bit, p) - 1.
///
/// Steps q; the root sends q messages, no other rank more than q-1. All functions are O(1). Source: Thakur,
/// Rabenseifner, Gropp 2005.
struct binomial {
    static constexpr const char* name = "binomial";
    static constexpr const char* rounds = "ceil(log2 p)";
    static constexpr const char* source = "Thakur, Rabenseifner, Gropp 2005";
    static constexpr bool reverse_keeps_order = true;

    constexpr step_t steps(rank_t p) const { return ceil_log2(p); }
    constexpr rank_t parent(rank_t, rank_t v) const { return v & (v - 1); }
    constexpr step_t step(rank_t p, rank_t v) const { return ceil_log2(p) - 1 - height(p, v); }
    constexpr rank_t child(rank_t p, rank_t v, step_t k) const {
        const step_t j = ceil_log2(p) - 1 - k;
        if (j < 0 || j >= height(p, v)) return -1;
        const rank_t to = v + (rank_t{1} << j);
        return to < p ? to : -1;
    }
    constexpr step_t fanout(rank_t p, rank_t v) const { return v + 1 < p ? height(p, v) : 0; }
    constexpr step_t most_sends(rank_t p) const { return ceil_log2(p); }
    constexpr rank_t extent(rank_t p, rank_t v) const {
        const rank_t low = v & -v;
        return v == 0 || low > p - v ? p - v : low;
    }

    constexpr argument_error check(rank_t) const { return {}; }
    static constexpr void parameters(auto&, auto) {}
    bool operator==(const binomial&) const = default;

  private:
    /// v may send over the distances 2^j, j < height.
    static constexpr step_t height(rank_t p, rank_t v) {
        return v == 0 ? ceil_log2(p) : std::countr_zero(static_cast<std::uint64_t>(v));
    }
};

}}}  // namespace collsched::COLLSCHED_ABI::trees
