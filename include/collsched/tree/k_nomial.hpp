#pragma once

#include "collsched/core/argument_error.hpp"
#include "collsched/core/bits.hpp"
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

/// K-nomial tree: the parent of v is v without its lowest nonzero digit, in base k = radix. The children are v + j k^i
/// below that digit (of the root: all j k^i < p), 1 <= j < k, the largest i first, then the smallest j. A child of p or
/// more takes no step. Subtrees are contiguous: v .. min(v + weight of the lowest nonzero digit, p) - 1.
///
/// Steps, and messages of the root: (k-1) i + floor((p-1) / k^i) with i = floor(log_k(p-1)); 0 for p = 1. Depth
/// ceil(log_k p) at most. All functions are O(log_k p). Source: the k-nomial trees of MPICH, Open MPI and UCC.
struct k_nomial {
    rank_t radix = 4;

    static constexpr const char* name = "k-nomial";
    static constexpr const char* rounds = "at most (k-1) ceil(log_k p)";
    static constexpr const char* source = "MPICH, Open MPI, UCC";
    static constexpr bool reverse_keeps_order = false;

    constexpr step_t steps(rank_t p) const {
        step_t sent = 0;
        rank_t w = 1;
        for (; w <= (p - 1) / radix; w *= radix) sent += radix - 1;
        return sent + (p - 1) / w;
    }
    constexpr rank_t parent(rank_t, rank_t v) const {
        const rank_t w = weight(v);
        return v - v / w % radix * w;
    }
    constexpr step_t step(rank_t p, rank_t v) const {
        step_t k = -1;
        bool climbed = false;  // v is an ancestor by now, and sends at larger weights first
        for (rank_t w = 1; w < p; w *= radix) {
            if (const rank_t digit = v / w % radix; digit > 0) {
                k += digit;
                v -= digit * w;
                climbed = true;
            } else if (climbed) {
                k += sends_at(p, v, w);
            }
            if (w > (p - 1) / radix) break;
        }
        return k;
    }
    constexpr rank_t child(rank_t p, rank_t v, step_t k) const {
        const step_t nth = k - step(p, v) - 1;
        if (nth < 0) return -1;
        step_t after = fanout(p, v) - 1 - nth;  // sends that come later
        if (after < 0) return -1;
        rank_t w = 1;
        for (; after >= sends_at(p, v, w); w *= radix) after -= sends_at(p, v, w);
        return v + (sends_at(p, v, w) - after) * w;
    }
    constexpr step_t fanout(rank_t p, rank_t v) const {
        const rank_t remaining = p - 1 - v;
        step_t n = 0;
        for (rank_t w = 1; w <= remaining && v / w % radix == 0; w *= radix) {
            n += sends_at(p, v, w);
            if (w > remaining / radix) break;
        }
        return n;
    }
    constexpr step_t most_sends(rank_t p) const { return steps(p); }
    constexpr rank_t extent(rank_t p, rank_t v) const { return v == 0 || weight(v) > p - v ? p - v : weight(v); }

    constexpr argument_error check(rank_t) const {
        return radix < 2 ? argument_error{"radix", radix, "2 or more"} : argument_error{};
    }
    static constexpr void parameters(auto& self, auto f) { f("radix", self.radix); }
    bool operator==(const k_nomial&) const = default;

  private:
    /// Returns k^i for the lowest nonzero digit i of v > 0.
    constexpr rank_t weight(rank_t v) const {
        rank_t w = 1;
        while (v / w % radix == 0) w *= radix;
        return w;
    }
    /// Returns the number of children v + j w.
    constexpr step_t sends_at(rank_t p, rank_t v, rank_t w) const {
        const rank_t remaining = (p - 1 - v) / w;
        return remaining < radix ? remaining : radix - 1;
    }
};

}}}  // namespace collsched::COLLSCHED_ABI::trees
