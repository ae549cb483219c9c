#pragma once

#include "collsched/core/argument_error.hpp"
#include "collsched/core/rank.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace trees {

/// Chains: the ranks 1 .. p-1 in f = min(radix, p-1) runs of consecutive ranks. The root sends to the first rank of each
/// run, the last run first, and every other rank v of a run sends to v+1. With q = floor((p-1) / f) the first runs have q
/// ranks, and the last (p-1) mod f runs have q+1. A single chain is a pipeline through all ranks.
///
/// Steps q + f - 1, 0 for p = 1. The root sends f messages, every other rank at most one. Contiguous. All functions are
/// O(1). Source: folklore; several chains: Open MPI.
struct chain {
    rank_t radix = 1;  ///< number of chains f, 1 or more; a number above p-1 counts as p-1

    static constexpr const char* name = "chain";
    static constexpr const char* rounds = "floor((p-1)/k) + k-1";
    static constexpr const char* source = "folklore";
    static constexpr bool reverse_keeps_order = true;

    constexpr step_t steps(rank_t p) const { return p == 1 ? 0 : shortest(p) + chains(p) - 1; }
    constexpr rank_t parent(rank_t p, rank_t v) const { return place_of(p, v).first ? 0 : v - 1; }
    constexpr step_t step(rank_t p, rank_t v) const { return v == 0 ? -1 : place_of(p, v).step; }
    constexpr rank_t child(rank_t p, rank_t v, step_t k) const {
        if (v > 0) return place_of(p, v).after > 0 && k == place_of(p, v).step + 1 ? v + 1 : -1;
        return k >= 0 && k < most_sends(p) ? head(p, chains(p) - 1 - k) : -1;
    }
    constexpr step_t fanout(rank_t p, rank_t v) const {
        return v == 0 ? most_sends(p) : place_of(p, v).after > 0 ? 1 : 0;
    }
    constexpr step_t most_sends(rank_t p) const { return p == 1 ? 0 : chains(p); }
    constexpr rank_t extent(rank_t p, rank_t v) const { return v == 0 ? p : place_of(p, v).after + 1; }

    constexpr argument_error check(rank_t) const {
        return radix < 1 ? argument_error{"radix", radix, "1 or more"} : argument_error{};
    }
    static constexpr void parameters(auto& self, auto f) { f("radix", self.radix); }
    bool operator==(const chain&) const = default;

  private:
    struct place {
        step_t step;
        rank_t after;  ///< ranks of the run after this one
        bool first;
    };
    constexpr rank_t chains(rank_t p) const { return radix < p ? radix : p - 1; }
    constexpr rank_t shortest(rank_t p) const { return (p - 1) / chains(p); }
    /// Returns the number of the shortest runs, which are the first ones.
    constexpr rank_t short_runs(rank_t p) const { return chains(p) - (p - 1) % chains(p); }
    /// Returns the first rank of a run.
    constexpr rank_t head(rank_t p, rank_t run) const {
        return 1 + run * shortest(p) + (run > short_runs(p) ? run - short_runs(p) : 0);
    }
    /// Returns the place of v > 0.
    constexpr place place_of(rank_t p, rank_t v) const {
        const rank_t in_short = short_runs(p) * shortest(p), beyond = v - 1 - in_short;
        const rank_t length = shortest(p) + (beyond < 0 ? 0 : 1);
        const rank_t run = beyond < 0 ? (v - 1) / length : short_runs(p) + beyond / length;
        const rank_t before = v - head(p, run);
        return {chains(p) - 1 - run + before, length - 1 - before, before == 0};
    }
};

/// Flat tree: the root sends to 1, 2, .., p-1 in this order. Steps p-1; the root sends p-1 messages. Contiguous. All
/// functions are O(1).
struct flat {
    static constexpr const char* name = "linear";
    static constexpr const char* rounds = "p-1";
    static constexpr const char* source = "folklore";
    static constexpr bool reverse_keeps_order = false;

    constexpr step_t steps(rank_t p) const { return p - 1; }
    constexpr rank_t parent(rank_t, rank_t) const { return 0; }
    constexpr step_t step(rank_t, rank_t v) const { return v - 1; }
    constexpr rank_t child(rank_t p, rank_t v, step_t k) const { return v == 0 && k >= 0 && k < p - 1 ? k + 1 : -1; }
    constexpr step_t fanout(rank_t p, rank_t v) const { return v == 0 ? p - 1 : 0; }
    constexpr step_t most_sends(rank_t p) const { return p - 1; }
    constexpr rank_t extent(rank_t p, rank_t v) const { return v == 0 ? p : 1; }

    constexpr argument_error check(rank_t) const { return {}; }
    static constexpr void parameters(auto&, auto) {}
    bool operator==(const flat&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::trees
