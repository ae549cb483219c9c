#pragma once

#include <cstdint>
#include <limits>

#include "collsched/core/fraction.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/topology/detail/max_flow.hpp"
#include "collsched/topology/translations.hpp"
#include "collsched/tree/detail/switch_walks.hpp"
#include "collsched/tree/detail/walk_limits.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace trees { namespace detail {

/// A number of trees in which a rank has its parent along a walk.
struct parent_share {
    std::int64_t walk{}, weight{};
};

/// Assigns to each rank but rank 0 the walks to its parents, as often as there are trees of rank 0, so that no orbit of
/// links is used more often than it may be. Parents come before their children in `order`, so that every choice of one
/// parent per rank is a tree. The assignment is a flow from ranks to walks, and on through their limits.
class parent_flow {
  public:
    /// @param group  translations of a network
    /// @param walks  its walks
    /// @param level  per rank, the least number of edges of a tree from rank 0
    parent_flow(const topology::network::translations& group, const walk_search& walks, const walk_limits& limits,
                const signed_vector<rank_t>& level)
        : group_(group),
          walks_(walks),
          limits_(limits),
          level_(level),
          first_limit_(group.ranks() + count()),
          source_(first_limit_ + limits.limits.length()),
          graph_(source_ + 2) {
        for (rank_t v = 1; v < group.ranks(); ++v) graph_.add(source_, v, 0);
        for (std::int64_t i = 0; i < limits.limits.length(); ++i) {
            const std::int64_t outer = limits.limits[i].outer;
            graph_.add(first_limit_ + i, outer < 0 ? source_ + 1 : first_limit_ + outer, 0);
        }
        for (std::int64_t w = 0; w < count(); ++w)
            graph_.add(group.ranks() + w, first_limit_ + limits.of_walk[w], most);
    }

    /// Returns whether a rank comes before another in all trees.
    bool before(rank_t a, rank_t b) const { return level_[a] != level_[b] ? level_[a] < level_[b] : a < b; }

    /// Returns the level of a rank.
    rank_t level(rank_t v) const { return level_[v]; }

    /// Searches an assignment for `total` trees, with parents on a lower level as far as possible.
    /// @param total     number of trees
    /// @param capacity  per limit, how often its walks may be used
    /// @return whether there is one. If not, cut() is defined
    bool assign(std::int64_t total, const signed_vector<std::int64_t>& capacity) {
        for (rank_t v = 1; v < group_.ranks(); ++v) graph_[v - 1].capacity = total;
        for (std::int64_t i = 0; i < capacity.length(); ++i) graph_[group_.ranks() - 1 + i].capacity = capacity[i];
        for (std::int64_t i = end_lower_; i < graph_.arcs() && end_lower_ > 0; ++i) graph_[i].capacity = 0;
        if (end_lower_ == 0) add_choices(true), end_lower_ = graph_.arcs();
        flow_.assign(static_cast<std::size_t>(graph_.arcs()), 0);
        const std::int64_t all = total * (group_.ranks() - 1);
        std::int64_t assigned = search_.push(graph_, flow_.data(), source_, source_ + 1, all);
        if (assigned == all) return true;
        if (!has_equal_) add_choices(false), has_equal_ = true;
        for (std::int64_t i = end_lower_; i < graph_.arcs(); ++i) graph_[i].capacity = most;
        flow_.resize(static_cast<std::size_t>(graph_.arcs()), 0);
        assigned += search_.push(graph_, flow_.data(), source_, source_ + 1, all - assigned);
        return assigned == all;
    }
    /// Returns for how many trees the limits suffice that stopped assign(): the ranks that need them share them.
    fraction cut() const {
        std::int64_t limit = 0, ranks = 0;
        for (std::int64_t i = 0; i < limits_.limits.length(); ++i) {
            const auto& arc = graph_[group_.ranks() - 1 + i];
            if (search_.reached(arc.from) && !search_.reached(arc.to)) limit += arc.capacity;
        }
        for (rank_t v = 1; v < group_.ranks(); ++v) ranks += search_.reached(v) ? 1 : 0;
        return {limit, ranks > 0 ? ranks : 1};
    }
    /// Returns the walks to the parents of a rank, with weights whose sum is the number of trees.
    /// @pre assign() returned true
    signed_vector<parent_share> shares(rank_t v) const {
        signed_vector<parent_share> result;
        for (const auto& half : graph_.incident(v))
            if (half.forward && flow_[half.arc] > 0) result.push_back({half.other - group_.ranks(), flow_[half.arc]});
        return result;
    }

  private:
    static constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 4;

    std::int64_t count() const { return walks_.walks().length(); }

    /// Adds an arc from each rank to each walk from a parent that is on a lower level, or only before it.
    void add_choices(bool lower) {
        for (rank_t v = 1; v < group_.ranks(); ++v)
            for (std::int64_t w = 0; w < count(); ++w)
                if (has_parent(v, w, true) ? lower : !lower && has_parent(v, w, false))
                    graph_.add(v, group_.ranks() + w, most);
    }
    bool has_parent(rank_t v, std::int64_t walk, bool lower) const {
        for (const std::int64_t start : walks_.walks()[walk].starts) {
            const rank_t parent = group_.image(walks_.steps()[start].vertex, v);
            if (lower ? level_[parent] < level_[v] : before(parent, v)) return true;
        }
        return false;
    }

    const topology::network::translations& group_;
    const walk_search& walks_;
    const walk_limits& limits_;
    const signed_vector<rank_t>& level_;
    rank_t first_limit_, source_;         // vertices: ranks, walks, limits, the source, the sink
    topology::detail::flow_graph graph_;  // arcs: to ranks but 0, from limits, from walks, then choices
    topology::detail::flow_search search_;
    signed_vector<std::int64_t> flow_;
    std::int64_t end_lower_ = 0;  // end of the arcs to parents on a lower level
    bool has_equal_ = false;      // whether the other choices are added
};

}}}}  // namespace collsched::COLLSCHED_ABI::trees::detail
