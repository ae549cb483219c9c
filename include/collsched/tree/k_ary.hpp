#pragma once

#include "collsched/core/argument_error.hpp"
#include "collsched/core/rank.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace trees {

/// K-ary tree: every rank has up to k = radix children, in the order of a heap: kv+1 .. kv+k, ascending; the parent is
/// (v-1)/k.
///
/// Depth ceil(log_k(p(k-1) + 1)) - 1. A full level d ends with step dk. A last level d with n ranks ends with step d +
/// (the largest sum of base-k digits of a number below n). The number of steps is the later end of the last two levels.
/// No rank sends more than min(k, p-1) messages. steps(), step() and child() are O(log_k p), other functions O(1).
/// Source: the k-ary tree of MPICH.
struct k_ary {
    rank_t radix = 2;

    static constexpr const char* name = "k-ary";
    static constexpr const char* rounds = "at most k ceil(log_k p)";
    static constexpr const char* source = "MPICH";
    static constexpr bool reverse_keeps_order = false;

    constexpr step_t steps(rank_t p) const {
        rank_t below = p - 1, width = 1,
               depth = 0;  // full levels 0 .. depth, the last `width` wide; `below` more ranks
        for (; width <= below / radix; ++depth) {
            width *= radix;
            below -= width;
        }
        const step_t full = depth * radix, partial = depth + 1 + most_digits(below);
        return below > 0 && partial > full ? partial : full;
    }
    constexpr rank_t parent(rank_t, rank_t v) const { return (v - 1) / radix; }
    constexpr step_t step(rank_t, rank_t v) const {
        step_t k = -1;
        for (; v > 0; v = (v - 1) / radix) k += 1 + (v - 1) % radix;
        return k;
    }
    constexpr rank_t child(rank_t p, rank_t v, step_t k) const {
        const step_t nth = k - step(p, v) - 1;
        return nth >= 0 && nth < fanout(p, v) ? radix * v + 1 + nth : -1;
    }
    constexpr step_t fanout(rank_t p, rank_t v) const {
        if (v > (p - 2) / radix) return 0;
        const rank_t remaining = p - 1 - radix * v;
        return remaining < radix ? remaining : radix;
    }
    constexpr step_t most_sends(rank_t p) const { return p - 1 < radix ? p - 1 : radix; }

    constexpr argument_error check(rank_t) const {
        return radix < 2 ? argument_error{"radix", radix, "2 or more"} : argument_error{};
    }
    static constexpr void parameters(auto& self, auto f) { f("radix", self.radix); }
    bool operator==(const k_ary&) const = default;

  private:
    /// Returns the largest sum of base-k digits of a number below n: its low digits are all k-1.
    constexpr step_t most_digits(rank_t n) const {
        step_t sum = 0;
        for (; n > radix; n /= radix) sum += radix - 1;
        return sum + n - 1;
    }
};

}}}  // namespace collsched::COLLSCHED_ABI::trees
