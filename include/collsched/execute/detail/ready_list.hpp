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
    /// Begins without the nodes that are there at every start. @pre the list has no limit
    void begin_empty() { head = tail = in_flight = 0; }
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

/// The nodes of a plan that may start, by kind.
struct ready_lists {
    ready_list receives, sends, local_work;

    /// @param nodes          number of nodes of the plan
    /// @param receive_limit  in flight; 0 or less: any number
    /// @param send_limit     likewise
    ready_lists(std::int64_t nodes, std::int64_t receive_limit, std::int64_t send_limit) {
        for (ready_list* list : {&receives, &sends, &local_work}) list->nodes = owned_array<std::int64_t>(nodes);
        receives.limit = receive_limit > 0 ? receive_limit : 0;
        sends.limit = send_limit > 0 ? send_limit : 0;
    }
    void restart() { receives.restart(), sends.restart(), local_work.restart(); }
    void begin_empty() { receives.begin_empty(), sends.begin_empty(), local_work.begin_empty(); }
    /// Returns the next node that may start, or -1: sends and receives in turns, before others.
    /// @param sends_first  whether it is the turn of sends
    std::int64_t take(bool sends_first, const owned_array<std::int64_t>& waits) {
        std::int64_t i = (sends_first ? sends : receives).take(waits);
        if (i < 0) i = (sends_first ? receives : sends).take(waits);
        return i >= 0 ? i : local_work.take(waits);
    }
    std::int64_t in_flight() const { return receives.in_flight + sends.in_flight + local_work.in_flight; }
    std::int64_t footprint() const {
        return receives.nodes.footprint() + sends.nodes.footprint() + local_work.nodes.footprint();
    }
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
