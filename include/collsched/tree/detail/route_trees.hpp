#pragma once

#include <cstdint>

#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/tree/detail/pack_trees.hpp"
#include "collsched/tree/detail/remove_switches.hpp"
#include "collsched/tree/forest.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace trees { namespace detail {

/// Maps trees of arcs between ranks back to paths through the network. An edge of a tree may need several paths; the
/// tree is then split into trees of less weight, so that each edge has one path.
class tree_router {
  public:
    /// @param paths  unused paths of each arc, enough for all trees
    tree_router(const flow_graph& graph, arc_paths paths) : graph_(graph), paths_(static_cast<arc_paths&&>(paths)) {}

    void add(const tree_class& equal_trees) {
        signed_vector<signed_vector<routed_path>> routes;
        for (const std::int64_t arc : equal_trees.arcs) routes.push_back(take(paths_[arc], equal_trees.multiplicity));
        for (std::int64_t remaining = equal_trees.multiplicity; remaining > 0;) {
            std::int64_t weight = remaining;
            for (const signed_vector<routed_path>& route : routes)
                if (route.back().capacity < weight) weight = route.back().capacity;
            append(equal_trees, routes, weight);
            for (signed_vector<routed_path>& route : routes)
                if ((route.back().capacity -= weight) == 0) route.pop_back();
            remaining -= weight;
        }
    }
    /// Returns all trees as a forest, with `total` and `unit` unset.
    forest result() const {
        forest result;
        result.trees = owned_array<forest::tree>(trees_);
        result.edges = owned_array<forest::edge>(edges_);
        result.vertices = owned_array<rank_t>(vertices_);
        return result;
    }

  private:
    /// Takes capacity of the smallest path that suffices alone, or, if none does, of the largest and another.
    static signed_vector<routed_path> take(signed_vector<routed_path>& list, std::int64_t amount) {
        signed_vector<routed_path> parts;
        while (amount > 0) {
            std::int64_t best = 0;
            for (std::int64_t i = 1; i < list.length(); ++i)
                if (is_better(list[i].capacity, list[best].capacity, amount)) best = i;
            const std::int64_t part = list[best].capacity < amount ? list[best].capacity : amount;
            parts.push_back({list[best].vertices, part});
            if ((list[best].capacity -= part) == 0) list.erase(list.begin() + (&list[best] - &list[0]));
            amount -= part;
        }
        return parts;
    }
    static bool is_better(std::int64_t capacity, std::int64_t best, std::int64_t amount) {
        if (best >= amount) return capacity >= amount && capacity < best;
        return capacity > best;
    }

    void append(const tree_class& equal_trees, const signed_vector<signed_vector<routed_path>>& routes,
                std::int64_t weight) {
        const std::int64_t first = edges_.length();
        for (std::int64_t i = 0; i < routes.length(); ++i) {
            const std::int64_t start = vertices_.length();
            for (const rank_t v : routes[i].back().vertices) vertices_.push_back(v);
            edges_.push_back(
                {graph_[equal_trees.arcs[i]].from, graph_[equal_trees.arcs[i]].to, start, vertices_.length()});
        }
        trees_.push_back({equal_trees.root, weight, first, edges_.length()});
    }

    const flow_graph& graph_;
    arc_paths paths_;
    signed_vector<forest::tree> trees_;
    signed_vector<forest::edge> edges_;
    signed_vector<rank_t> vertices_;
};

}}}}  // namespace collsched::COLLSCHED_ABI::trees::detail
