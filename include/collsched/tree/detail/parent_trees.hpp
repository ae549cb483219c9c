#pragma once

#include <cstdint>

#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/core/detail/sort.hpp"
#include "collsched/topology/translations.hpp"
#include "collsched/tree/detail/parent_flow.hpp"
#include "collsched/tree/forest.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace trees { namespace detail {

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
