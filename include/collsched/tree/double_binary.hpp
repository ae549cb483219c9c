#pragma once

#include "collsched/core/bits.hpp"
#include "collsched/core/argument_error.hpp"
#include "collsched/core/rank.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace trees {

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
