#pragma once

#include <cstdint>

#include "collsched/core/owned_array.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Nodes of a plan that may start, first come first served; every node enters once per start, those without waits first.
/// A list with a limit holds all nodes in program order, and only the head may start.
struct ready_list {
    owned_array<std::int64_t> nodes;  ///< with room for all nodes of the plan
    std::int64_t first_tail = 0;      ///< after the nodes that are there at every start
    std::int64_t head = 0, tail = 0;
    std::int64_t limit = 0, in_flight = 0;  ///< limit 0: none

    /// Adds a node for all starts, before the first one.
    void begin_with(std::int64_t node) { nodes[first_tail++] = node; }
    void restart() { head = in_flight = 0, tail = first_tail; }
    /// Adds a node that waits for nothing any more; in a list with a limit it is there already.
    void push(std::int64_t node) {
        if (limit == 0) nodes[tail++] = node;
    }
    /// Returns the next node that may start, or -1.
    /// @param waits  number of waits of each node
    std::int64_t take(const owned_array<std::int64_t>& waits) {
        if (head == tail) return -1;
        if (limit > 0 && (in_flight >= limit || waits[nodes[head]] != 0)) return -1;
        return nodes[head++];
    }
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
