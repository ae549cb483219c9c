#pragma once

#include "collsched/core/argument_error.hpp"
#include "collsched/core/rank.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace trees {

/// Chain: rank v sends to v+1. Steps p-1; every rank sends at most one message. Contiguous. All functions are O(1).
struct chain {
    static constexpr const char* name = "chain";
    static constexpr const char* rounds = "p-1";
    static constexpr const char* source = "folklore";
    static constexpr bool reverse_keeps_order = true;

    constexpr step_t steps(rank_t p) const { return p - 1; }
    constexpr rank_t parent(rank_t, rank_t v) const { return v - 1; }
    constexpr step_t step(rank_t, rank_t v) const { return v - 1; }
    constexpr rank_t child(rank_t p, rank_t v, step_t k) const { return k == v && v + 1 < p ? v + 1 : -1; }
    constexpr step_t fanout(rank_t p, rank_t v) const { return v + 1 < p ? 1 : 0; }
    constexpr step_t most_sends(rank_t p) const { return p > 1 ? 1 : 0; }
    constexpr rank_t extent(rank_t p, rank_t v) const { return p - v; }

    constexpr argument_error check(rank_t) const { return {}; }
    static constexpr void parameters(auto&, auto) {}
    bool operator==(const chain&) const = default;
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
