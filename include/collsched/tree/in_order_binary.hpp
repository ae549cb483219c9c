#pragma once

#include "collsched/core/bits.hpp"
#include "collsched/core/argument_error.hpp"
#include "collsched/core/rank.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace trees {

/// Binary tree over intervals of ranks. The root of lo .. lo+n-1 is lo. It sends first to lo + n - floor(n/2), the root
/// of the last floor(n/2) ranks, then to lo + 1, the root of the n - 1 - floor(n/2) ranks between. Contiguous: every
/// subtree begins with its root, the mirror image of the usual form, where the root is last.
///
/// Steps, with e = floor(log2(p+1)): 2(e-1), and one more if p+1 >= 3 * 2^(e-1). Depth floor(log2 p). At most 2
/// messages per rank. Functions of a rank are O(log p), others O(1). Source: the in-order binary tree of Open MPI.
struct in_order_binary {
    static constexpr const char* name = "in-order-binary";
    static constexpr const char* rounds = "about 2 log2 p";
    static constexpr const char* source = "Open MPI";
    static constexpr bool reverse_keeps_order = true;

    constexpr step_t steps(rank_t p) const {
        const step_t e = floor_log2(p + 1);
        return 2 * (e - 1) + (p + 1 >= rank_t{3} << (e - 1) ? 1 : 0);
    }
    constexpr rank_t parent(rank_t p, rank_t v) const { return find(p, v).parent; }
    constexpr step_t step(rank_t p, rank_t v) const { return find(p, v).step; }
    constexpr rank_t child(rank_t p, rank_t v, step_t k) const {
        const place at = find(p, v);
        if (k == at.step + 1 && at.size > 1) return v + at.size - at.size / 2;
        return k == at.step + 2 && at.size > 2 ? v + 1 : -1;
    }
    constexpr step_t fanout(rank_t p, rank_t v) const { return most_sends(extent(p, v)); }
    constexpr step_t most_sends(rank_t p) const { return p > 2 ? 2 : p - 1; }
    constexpr rank_t extent(rank_t p, rank_t v) const { return find(p, v).size; }

    constexpr argument_error check(rank_t) const { return {}; }
    static constexpr void parameters(auto&, auto) {}
    bool operator==(const in_order_binary&) const = default;

  private:
    struct place {
        rank_t parent, size;
        step_t step;
    };
    /// Returns parent, step and interval size of v. O(log p).
    static constexpr place find(rank_t p, rank_t v) {
        place at{-1, p, -1};
        for (rank_t lo = 0; lo != v;) {
            const rank_t half = at.size / 2, second = lo + at.size - half;
            at.parent = lo;
            at.step += v >= second ? 1 : 2;
            at.size = v >= second ? half : at.size - 1 - half;
            lo = v >= second ? second : lo + 1;
        }
        return at;
    }
};

}}}  // namespace collsched::COLLSCHED_ABI::trees
