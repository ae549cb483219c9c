#pragma once

#include <cstdint>
#include <limits>

#include "collsched/core/checked.hpp"
#include "collsched/core/detail/sort.hpp"
#include "collsched/core/fraction.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/topology/translations.hpp"
#include "collsched/topology/detail/max_flow.hpp"
#include "collsched/tree/detail/switch_walks.hpp"
#include "collsched/tree/forest.hpp"

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
        : group_(group), walks_(walks), limits_(limits), level_(level) {
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
    rank_t first_limit_ = group_.ranks() + count(),
           source_ = first_limit_ + limits_.limits.length();  // vertices: ranks, walks, limits, the source, the sink
    topology::detail::flow_graph graph_{source_ + 2};  // arcs: to ranks but 0, from limits, from walks, then choices
    topology::detail::flow_search search_;
    signed_vector<std::int64_t> flow_;
    std::int64_t end_lower_ = 0;  // end of the arcs to parents on a lower level
    bool has_equal_ = false;      // whether the other choices are added
};

/// Returns the level of each rank: the number of ranks on a path from rank 0 that passes as few as possible, without
/// rank 0 itself. O(arcs).
/// @pre rank 0 reaches all ranks
inline signed_vector<rank_t> hop_levels(const topology::detail::flow_graph& graph, rank_t ranks) {
    signed_vector<rank_t> level(static_cast<std::size_t>(graph.vertices()), -1), open(1, 0), next;
    level[0] = 0;
    for (rank_t reached = 0; !open.empty(); open.swap(next), ++reached) {
        next.clear();
        for (std::int64_t head = 0; head < open.length(); ++head)
            for (const auto& half : graph.incident(open[head])) {
                if (!half.forward || level[half.other] >= 0) continue;
                const bool is_rank = half.other < ranks;
                level[half.other] = is_rank ? reached + 1 : reached;
                (is_rank ? next : open).push_back(half.other);
            }
    }
    level.resize(static_cast<std::size_t>(ranks));
    return level;
}

/// Returns the position of each rank in an order in which the next rank is the one that can receive most from those
/// before it, over all walks together; of several, the one that could do so first, then that of the least number. Where
/// links are few between parts of a network, the order fills a part before it enters the next. O(ranks^2 + ranks *
/// starts of all walks).
inline signed_vector<rank_t> capacity_order(const topology::network::translations& group, const link_orbits& orbits,
                                            const walk_search& found) {
    const auto ranks = static_cast<std::size_t>(group.ranks());
    const signed_vector<switch_walk>& walks = found.walks();
    signed_vector<std::int64_t> received(ranks, 0), width;  // per walk, what its links carry for each rank
    for (const switch_walk& walk : walks) {
        std::int64_t least = 0;
        for (const std::int64_t o : walk.orbits) {
            const std::int64_t all = collsched::detail::saturated(checked(orbits.bandwidth[o]) * orbits.size[o]);
            least = least == 0 || all < least ? all : least;
        }
        width.push_back(least / group.ranks());
    }
    signed_vector<signed_vector<char>> used(ranks, signed_vector<char>(walks.size(), 0));
    signed_vector<rank_t> position(ranks, -1), since(ranks, 0);
    rank_t next = 0;
    for (rank_t count = 0; count < group.ranks(); ++count) {
        position[next] = count;
        for (std::int64_t w = 0; w < walks.length(); ++w)
            for (const std::int64_t start : walks[w].starts) {
                const rank_t child = group.image(next, group.inverse(found.steps()[start].vertex));
                if (used[child][w]) continue;
                used[child][w] = 1;
                since[child] = count;
                received[child] = collsched::detail::saturated(checked(received[child]) + width[w]);
            }
        rank_t best = -1;
        for (rank_t v = 0; v < group.ranks(); ++v) {
            if (position[v] >= 0) continue;
            if (best < 0 || received[v] > received[best] || (received[v] == received[best] && since[v] < since[best]))
                best = v;
        }
        next = best;
    }
    return position;
}

/// Builds the trees of rank 0 from the shares of each rank. Tree t of `total` trees of weight 1 takes, for each rank, the
/// walk whose shares include number t. Equal trees in sequence become one of their weight.
class parent_trees {
  public:
    /// @param flow  an assignment of walks
    parent_trees(const topology::network::translations& group, const walk_search& walks, const parent_flow& flow,
                 std::int64_t total)
        : group_(group), walks_(walks), flow_(flow) {
        for (rank_t v = 0; v < group.ranks(); ++v) order_.push_back(v);
        collsched::detail::sort(order_.data(), order_.length(), [&](rank_t a, rank_t b) { return flow.before(a, b); });
        shares_.emplace_back();
        for (rank_t v = 1; v < group.ranks(); ++v) {
            std::int64_t end = 0;
            for (const parent_share& share : shares_.emplace_back(flow.shares(v))) ends_.push_back(end += share.weight);
        }
        collsched::detail::sort(ends_.data(), ends_.length(), [](std::int64_t a, std::int64_t b) { return a < b; });
        std::int64_t kept = 0;
        for (std::int64_t i = 0; i < ends_.length(); ++i)
            if (i + 1 == ends_.length() || ends_[i] != ends_[i + 1]) ends_[kept++] = ends_[i];
        ends_.resize(static_cast<std::size_t>(kept));
        forest_.ranks = group.ranks(), forest_.total = total;
    }

    /// Returns the number of different trees.
    std::int64_t count() const { return ends_.length(); }
    /// Returns a forest of the trees, without a unit. O(trees * edges * starts of a walk).
    forest run() {
        signed_vector<std::int64_t> at(shares_.size(), 0), remaining(shares_.size(), 0);
        for (rank_t v = 1; v < group_.ranks(); ++v) remaining[v] = shares_[v][0].weight;
        for (std::int64_t i = 0; i < ends_.length(); ++i) {
            const std::int64_t weight = ends_[i] - (i == 0 ? 0 : ends_[i - 1]);
            add_tree(weight, at);
            for (rank_t v = 1; v < group_.ranks(); ++v)
                if ((remaining[v] -= weight) == 0 && ++at[v] < shares_[v].length())
                    remaining[v] = shares_[v][at[v]].weight;
        }
        forest_.trees = owned_array<forest::tree>(trees_);
        forest_.edges = owned_array<forest::edge>(edges_);
        forest_.vertices = owned_array<rank_t>(vertices_);
        return static_cast<forest&&>(forest_);
    }

  private:
    void add_tree(std::int64_t weight, const signed_vector<std::int64_t>& at) {
        const std::int64_t first = edges_.length();
        depth_.assign(shares_.size(), 0);
        for (std::int64_t i = 1; i < order_.length(); ++i) {
            const rank_t v = order_[i];
            const std::int64_t start = nearest(v, walks_.walks()[shares_[v][at[v]].walk]);
            const rank_t parent = group_.image(walks_.steps()[start].vertex, v);
            depth_[v] = depth_[parent] + 1;
            const std::int64_t first_vertex = vertices_.length();
            for (std::int64_t step = start; step >= 0; step = walks_.steps()[step].next)
                vertices_.push_back(group_.image(walks_.steps()[step].vertex, v));
            edges_.push_back({parent, v, first_vertex, vertices_.length()});
        }
        trees_.push_back({0, weight, first, edges_.length()});
    }
    /// Returns the start of a walk to v that is closest to the root, among those that come before v.
    std::int64_t nearest(rank_t v, const switch_walk& walk) const {
        std::int64_t best = -1;
        rank_t depth = 0;
        for (const std::int64_t start : walk.starts) {
            const rank_t parent = group_.image(walks_.steps()[start].vertex, v);
            if (!flow_.before(parent, v) || (best >= 0 && depth_[parent] >= depth)) continue;
            best = start, depth = depth_[parent];
            if (depth + 1 == flow_.level(v)) break;
        }
        return best;
    }

    const topology::network::translations& group_;
    const walk_search& walks_;
    const parent_flow& flow_;
    signed_vector<rank_t> order_;  // parents before children
    signed_vector<signed_vector<parent_share>> shares_;
    signed_vector<std::int64_t> ends_;  // per tree, the number behind its last one
    signed_vector<rank_t> depth_;       // per rank, in the tree that is built
    forest forest_;
    signed_vector<forest::tree> trees_;
    signed_vector<forest::edge> edges_;
    signed_vector<rank_t> vertices_;
};

}}}}  // namespace collsched::COLLSCHED_ABI::trees::detail
