#pragma once

#include "collsched/core/bits.hpp"
#include "collsched/core/argument_error.hpp"
#include "collsched/core/rank.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace trees {

/// Binomial tree with doubling distances: in step j every v < 2^j sends to v + 2^j, where that is below p. The parent of v
/// is v without its highest set bit.
///
/// Steps q = ceil(log2 p); the root sends q messages. All functions are O(1). Source: the binomial broadcast of Open
/// MPI and Gloo.
struct binomial_doubling {
    static constexpr const char* name = "binomial-doubling";
    static constexpr const char* rounds = "ceil(log2 p)";
    static constexpr const char* source = "Open MPI, Gloo";
    static constexpr bool reverse_keeps_order = false;

    constexpr step_t steps(rank_t p) const { return ceil_log2(p); }
    constexpr rank_t parent(rank_t, rank_t v) const { return v - floor_power_of_two(v); }
    constexpr step_t step(rank_t, rank_t v) const { return v == 0 ? -1 : floor_log2(v); }
    constexpr rank_t child(rank_t p, rank_t v, step_t k) const {
        if (k <= step(p, v) || k >= ceil_log2(p)) return -1;
        const rank_t to = v + (rank_t{1} << k);
        return to < p ? to : -1;
    }
    constexpr step_t fanout(rank_t p, rank_t v) const {
        const step_t last = v + 1 < p ? floor_log2(p - 1 - v) : -1;
        return last > step(p, v) ? last - step(p, v) : 0;
    }
    constexpr step_t most_sends(rank_t p) const { return ceil_log2(p); }

    constexpr argument_error check(rank_t) const { return {}; }
    static constexpr void parameters(auto&, auto) {}
    bool operator==(const binomial_doubling&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::trees
