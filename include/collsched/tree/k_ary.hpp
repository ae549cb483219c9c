#pragma once

#include "collsched/core/argument_error.hpp"
#include "collsched/core/bits.hpp"
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

/// One of a pair of binary trees; each carries half of the bytes. Rank 0 is the source of both, with one child in each.
/// The other p-1 ranks are in both trees, and each is a leaf of at least one.
///
/// The first tree is the in-order binary tree over the places 1 .. p-1, where place q is rank q. With b the lowest set
/// bit of q, the parent is (q xor b) or 2b, or q xor b if that is not a place. The children are q - b/2 and, with b/2
/// halved until it is a place, q + b/2, in this order. The root is the largest power of two below p. Odd places are
/// leaves. The second tree has the same places for other ranks: place q is rank p-q for odd p (mirror), rank q+1 for
/// even p (shift; place p-1 is rank 1). In both cases an even place of one tree is an odd place, a leaf, of the other.
///
/// Steps 2 floor(log2(p-1)), one more if p is a power of two; 0 for p = 1. At most 2 messages per rank, in both trees
/// together. step() and child() are O(log p), other functions O(1). Source: Sanders, Speck, Traeff 2009; the bit
/// formulas are NCCL's.
struct double_binary {
    bool second = false;  ///< whether this is the second tree

    static constexpr const char* name = "double-binary";
    static constexpr const char* rounds = "about 2 log2 p";
    static constexpr const char* source = "Sanders, Speck, Traeff 2009";
    static constexpr bool reverse_keeps_order = false;

    constexpr step_t steps(rank_t p) const { return p == 1 ? 0 : 2 * floor_log2(p - 1) + (is_power_of_two(p) ? 1 : 0); }
    constexpr rank_t parent(rank_t p, rank_t v) const { return rank_of(p, above(p, place_of(p, v))); }
    constexpr step_t step(rank_t p, rank_t v) const {
        if (v == 0) return -1;
        step_t k = 0;
        for (rank_t q = place_of(p, v), up = above(p, q); up != 0; q = up, up = above(p, q)) k += q < up ? 1 : 2;
        return k;
    }
    constexpr rank_t child(rank_t p, rank_t v, step_t k) const {
        const step_t nth = k - step(p, v) - 1;
        if (nth < 0 || nth >= fanout(p, v)) return -1;
        if (v == 0) return rank_of(p, floor_power_of_two(p - 1));
        const rank_t q = place_of(p, v), half = lowest_bit(q) / 2;
        if (nth == 0) return rank_of(p, q - half);
        const rank_t limit = floor_power_of_two(p - 1 - q);
        return rank_of(p, q + (half < limit ? half : limit));
    }
    constexpr step_t fanout(rank_t p, rank_t v) const {
        if (v == 0) return p > 1 ? 1 : 0;
        const rank_t q = place_of(p, v);
        return q % 2 == 1 ? 0 : q + 1 < p ? 2 : 1;
    }
    constexpr step_t most_sends(rank_t p) const { return p > 3 ? 2 : p > 1 ? 1 : 0; }

    constexpr argument_error check(rank_t) const { return {}; }
    static constexpr void parameters(auto& self, auto f) { f("second", self.second); }
    bool operator==(const double_binary&) const = default;

  private:
    static constexpr rank_t lowest_bit(rank_t q) { return q & -q; }

    constexpr rank_t place_of(rank_t p, rank_t v) const {
        if (!second || v == 0) return v;
        if (p % 2 == 1) return p - v;
        return v == 1 ? p - 1 : v - 1;
    }
    constexpr rank_t rank_of(rank_t p, rank_t q) const {
        if (!second || q == 0) return q;
        if (p % 2 == 1) return p - q;
        return q == p - 1 ? 1 : q + 1;
    }
    /// Returns the place of the parent; 0 is the source.
    static constexpr rank_t above(rank_t p, rank_t q) {
        const rank_t b = lowest_bit(q), up = (q ^ b) | (b << 1);
        return up < p ? up : q ^ b;
    }
};

/// Pair of double binary trees, for algorithms that alternate between them.
struct two_tree {
    static constexpr const char* name = "two-tree";
    static constexpr const char* rounds = double_binary::rounds;
    static constexpr const char* source = double_binary::source;
    static constexpr bool reverse_keeps_order = false;
    /// The first and the second tree.
    static constexpr double_binary trees[] = {{.second = false}, {.second = true}};

    constexpr argument_error check(rank_t) const { return {}; }
    static constexpr void parameters(auto&, auto) {}
    bool operator==(const two_tree&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::trees
