#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "collsched/core/argument_error.hpp"
#include "collsched/schedule/edge_views.hpp"
#include "collsched/simulate/detail/network_paths.hpp"
#include "collsched/simulate/execution_graph.hpp"
#include "collsched/simulate/link_queue_model.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The transfers of all messages of a graph: one per edge of the schedule, with the links of its path.
class network_transfers {
  public:
    struct transfer {
        std::int64_t send = 0;  ///< vertex of the graph
        step_t step = 0;
        bytes_t bytes = 0;
        std::int32_t path = 0;
    };

    /// O(edges * (log(paths) + path)). Memory: 32 bytes per edge, and each path once.
    /// @pre no error in graph and model, and the graph is that of x
    template <schedulable X>
    network_transfers(const X& x, const execution_graph& graph, const link_queue_model& model, binding binding)
        : model_(model), shortest_(model.net), first_(graph.nodes().size() + 1) {
        const auto& s = lower(x);
        const contract contract = s.contract();
        for (rank_t r = 0; r < s.ranks && !error_; ++r) {
            const buffer_alias alias = contract.alias(r, binding);
            std::int64_t node = graph.first(r) - 1;
            edge last{.step = -1};
            for (const edge& e : program(s, r)) {
                if (error_) return;
                if (e.is_local() || e.src != r || vanishes(alias, e)) continue;
                if (e.step != last.step || e.dst != last.dst) node = next_send(graph, node + 1, r);
                last = e;
                if (node < 0 || graph[graph[node].peer].rank != e.dst) {
                    error_ = {"schedule", e.step, "messages in the order of steps and targets"};
                    return;
                }
                ++first_[static_cast<std::size_t>(node) + 1];
                all_.push_back({node, e.step, e.size, path_of(e)});
            }
        }
        for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    }

    argument_error check() const { return error_; }
    /// Returns all transfers, those of a send in sequence.
    std::span<const transfer> all() const { return all_; }
    /// Returns the first transfer of vertex i, and their number.
    std::int64_t first(std::int64_t i) const { return first_[static_cast<std::size_t>(i)]; }
    std::int64_t count(std::int64_t i) const { return first_[static_cast<std::size_t>(i) + 1] - first(i); }
    std::int32_t hops(std::int64_t t) const { return static_cast<std::int32_t>(routes_[route(t)].size()); }
    /// Returns the parallel links of a hop.
    std::span<const std::int32_t> links(std::int64_t t, std::int32_t hop) const {
        return parallel_[routes_[route(t)][static_cast<std::size_t>(hop)]];
    }

  private:
    std::size_t route(std::int64_t t) const { return static_cast<std::size_t>(all_[static_cast<std::size_t>(t)].path); }

    static std::int64_t next_send(const execution_graph& graph, std::int64_t i, rank_t r) {
        while (i < graph.first(r + 1) && graph[i].kind != execution_graph::kind::send) ++i;
        return i < graph.first(r + 1) ? i : -1;
    }

    /// Returns the index of the route of an edge.
    std::int32_t path_of(const edge& e) {
        path_.clear();
        if (model_.paths) model_.paths(e, path_);
        if (path_.empty()) shortest_.append_shortest(e.src, e.dst, path_);
        const auto [found, added] = route_index_.try_emplace(path_, static_cast<std::int32_t>(routes_.size()));
        if (!added) return found->second;
        std::vector<std::size_t> hops;
        if (path_.size() < 2 || path_.front() != e.src || path_.back() != e.dst) refuse(e);
        for (std::size_t n = 0; n + 1 < path_.size() && !error_; ++n) hops.push_back(hop(path_[n], path_[n + 1], e));
        routes_.push_back(std::move(hops));
        return found->second;
    }
    std::size_t hop(rank_t from, rank_t to, const edge& e) {
        const auto [found, added] = hops_.try_emplace({from, to}, parallel_.size());
        if (!added) return found->second;
        parallel_.emplace_back();
        const rank_t end = model_.net.vertices();
        if (from >= 0 && to >= 0 && from < end && to < end)
            shortest_.for_each_link(from, to, [&](std::int32_t i) { parallel_.back().push_back(i); });
        if (parallel_.back().empty()) refuse(e);
        return found->second;
    }
    void refuse(const edge& e) { error_ = {"path", e.dst, "a path over links of the network, from source to target"}; }

    const link_queue_model& model_;
    network_paths shortest_;
    std::vector<std::int64_t> first_;
    std::vector<transfer> all_;
    std::vector<rank_t> path_;
    std::map<std::vector<rank_t>, std::int32_t> route_index_;
    std::map<std::pair<rank_t, rank_t>, std::size_t> hops_;
    std::vector<std::vector<std::size_t>> routes_;     // per path: its hops
    std::vector<std::vector<std::int32_t>> parallel_;  // per hop: its links
    argument_error error_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
