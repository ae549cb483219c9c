#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "collsched/core/owned_array.hpp"
#include "collsched/simulate/execution_graph.hpp"
#include "collsched/simulate/simulation.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The vertices of a run in the order that dependencies impose, from the last one back.
class vertex_order {
    using kind = execution_graph::kind;

  public:
    /// O(vertices). Refers to both arguments.
    vertex_order(const execution_graph& graph, const owned_array<simulation::activity>& times)
        : graph_(graph), times_(times), before_(graph.nodes().size()) {
        for (std::int64_t i = 0; i < std::ssize(graph.nodes()); ++i)
            for (const std::int64_t next : graph.successors(i)) before_[static_cast<std::size_t>(next)].push_back(i);
    }

    /// Returns the vertex that ends last, which is no join; -1: none.
    std::int64_t last() const {
        std::int64_t found = -1;
        for (std::int64_t i = 0; i < std::ssize(graph_.nodes()); ++i)
            if (graph_[i].kind != kind::join && (found < 0 || times_[i].end > times_[found].end)) found = i;
        return found;
    }
    /// Returns a predecessor of vertex i whose end made i ready; -1: none.
    std::int64_t before(std::int64_t i) const {
        for (const std::int64_t j : before_[static_cast<std::size_t>(i)])
            if (times_[j].end == times_[i].ready) return j;
        return -1;
    }
    /// Appends vertex i to a critical path that is found from its end. A join is no step.
    void add_step(std::vector<simulation::critical_step>& steps, std::int64_t i,
                  simulation::critical_step::delay cause) const {
        if (graph_[i].kind != kind::join) steps.push_back({i, cause});
        else if (!steps.empty() && cause == simulation::critical_step::delay::start) steps.back().cause = cause;
    }

  private:
    const execution_graph& graph_;
    const owned_array<simulation::activity>& times_;
    std::vector<std::vector<std::int64_t>> before_;  // per vertex: its predecessors on the same rank
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
