#pragma once

#include <cstdint>
#include <span>

#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/tree/detail/remove_switches.hpp"
#include "collsched/tree/detail/sink_flows.hpp"
#include "collsched/tree/forest.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace trees { namespace detail {

/// A class: equal out-trees of one root, as many as its multiplicity, as far as they are built.
struct tree_class {
    rank_t root{};
    std::int64_t multiplicity{};
    signed_vector<rank_t> reached;     ///< vertices in the order in which they were added, the root first
    signed_vector<std::int64_t> arcs;  ///< arcs in that order
    signed_vector<char> has;           ///< per vertex, whether it is reached
    signed_vector<char> blocked;       ///< per arc, whether it crosses a saturated cut, for this class
    std::int64_t slot{};               ///< index of the vertex that supplies the class
    std::int64_t first_open{};         ///< index in `reached` before which no arc is left
};

/// Packs spanning out-trees in a graph of ranks, root by root, class by class. A class grows by an arc (x,y) from a
/// reached vertex to another one, with the multiplicity mu that its capacity and the max flows leave; if mu is less than
/// that of the class, the rest becomes a class of its own. Source: Berczi, Frank 2010; Schrijver, Combinatorial
/// Optimization, chapter 53.
///
/// A class that is being built is a vertex that sends its multiplicity to each sink by arcs of unlimited capacity to the
/// vertices that it has reached. To add the arc (x,y) is to split off the arcs (class,x) and (x,y). There are classes
/// with a vertex of one root only; the supply of later roots is fixed at the root.
class tree_packing {
  public:
    /// @param flows  flows of a graph of ranks, each root supplying `total` units
    explicit tree_packing(sink_flows& flows) : flows_(flows), arcs_(flows.graph().arcs()) {}

    /// Builds all trees of a root. Returns false if a class cannot grow, which balanced flows exclude.
    bool pack(rank_t root, std::int64_t total) {
        growing_.push_back(first_class(root, total));
        while (!growing_.empty()) {
            tree_class equal_trees = static_cast<tree_class&&>(growing_.back());
            growing_.pop_back();
            while (equal_trees.reached.length() < flows_.sinks())
                if (!grow(equal_trees)) return false;
            free_slots_.push_back(equal_trees.slot);
            for (const rank_t v : equal_trees.reached) flows_.set_capacity(slot_arc(equal_trees.slot, v), 0);
            done_.push_back(static_cast<tree_class&&>(equal_trees));
        }
        return true;
    }
    /// Returns the classes that are built, those of a root in sequence.
    const signed_vector<tree_class>& trees() const { return done_; }

  private:
    std::int64_t slot_arc(std::int64_t slot, rank_t v) const { return arcs_ + slot * flows_.sinks() + v; }
    std::int64_t new_slot() {
        if (free_slots_.empty()) {
            const rank_t supplier = flows_.add_vertex();
            for (rank_t v = 0; v < flows_.sinks(); ++v) flows_.add_arc(supplier, v, 0);
            return slots_++;
        }
        const std::int64_t slot = free_slots_.back();
        free_slots_.pop_back();
        return slot;
    }
    tree_class first_class(rank_t root, std::int64_t total) {
        tree_class equal_trees{root, total, {root}, {}, {}, {}, new_slot(), 0};
        equal_trees.has.assign(static_cast<std::size_t>(flows_.sinks()), 0);
        equal_trees.has[root] = 1;
        equal_trees.blocked.assign(static_cast<std::size_t>(arcs_), 0);
        const std::int64_t supply = slot_arc(equal_trees.slot, root);
        flows_.set_capacity(supply, unlimited);
        for (rank_t sink = 0; sink < flows_.sinks(); ++sink) flows_[sink][supply] = sink == root ? 0 : total;
        return equal_trees;
    }

    /// Adds one arc to a class: one with capacity for the whole class, nearest to the root, if there is one.
    bool grow(tree_class& equal_trees) { return grow(equal_trees, equal_trees.multiplicity) || grow(equal_trees, 1); }
    bool grow(tree_class& equal_trees, std::int64_t least) {
        for (std::int64_t i = equal_trees.first_open; i < equal_trees.reached.length(); ++i) {
            bool open = false;
            for (const flow_graph::half_arc& half : flows_.graph().incident(equal_trees.reached[i])) {
                if (half.arc >= arcs_) break;  // arcs of classes come last
                if (!half.forward || equal_trees.has[half.other] || equal_trees.blocked[half.arc]) continue;
                if (flows_.capacity(half.arc) >= least && add(equal_trees, half.arc)) return true;
                open = open || flows_.capacity(half.arc) > 0;
            }
            if (!open && i == equal_trees.first_open) ++equal_trees.first_open;
        }
        return false;
    }

    bool add(tree_class& equal_trees, std::int64_t arc) {
        const rank_t x = flows_.graph()[arc].from, y = flows_.graph()[arc].to;
        const std::int64_t capacity = flows_.capacity(arc);
        const std::int64_t moved =
            flows_.split(slot_arc(equal_trees.slot, x), arc, slot_arc(equal_trees.slot, y),
                         capacity < equal_trees.multiplicity ? capacity : equal_trees.multiplicity);
        if (moved == 0) {
            block(equal_trees);
            return false;
        }
        if (moved < equal_trees.multiplicity) split_class(equal_trees, moved);
        flows_.set_capacity(slot_arc(equal_trees.slot, y), unlimited);
        equal_trees.reached.push_back(y);
        equal_trees.arcs.push_back(arc);
        equal_trees.has[y] = 1;
        cancel_supply(equal_trees, y);
        return true;
    }

    /// Marks the arcs that cross the saturated cut. It remains saturated while the class grows.
    void block(tree_class& equal_trees) {
        for (std::int64_t arc = 0; arc < arcs_; ++arc)
            if (flows_.reached(flows_.graph()[arc].from) && !flows_.reached(flows_.graph()[arc].to))
                equal_trees.blocked[arc] = 1;
    }

    /// Leaves `kept` trees in the class, and makes another class of the rest.
    void split_class(tree_class& equal_trees, std::int64_t kept) {
        tree_class remainder = equal_trees;
        remainder.slot = new_slot();
        remainder.multiplicity -= kept;
        equal_trees.multiplicity = kept;
        for (const rank_t v : remainder.reached) flows_.set_capacity(slot_arc(remainder.slot, v), unlimited);
        for (rank_t sink = 0; sink < flows_.sinks(); ++sink) {
            if (equal_trees.has[sink]) continue;
            std::int64_t missing = remainder.multiplicity;
            for (std::int64_t i = 0; i < remainder.reached.length() && missing > 0; ++i) {
                std::int64_t& from = flows_[sink][slot_arc(equal_trees.slot, remainder.reached[i])];
                const std::int64_t moved = from < missing ? from : missing;
                flows_[sink][slot_arc(remainder.slot, remainder.reached[i])] = moved;
                from -= moved, missing -= moved;
            }
        }
        growing_.push_back(static_cast<tree_class&&>(remainder));
    }

    /// A sink that a class has reached needs no flow from it.
    void cancel_supply(const tree_class& equal_trees, rank_t sink) {
        for (const rank_t v : equal_trees.reached) {
            std::int64_t& supplied = flows_[sink][slot_arc(equal_trees.slot, v)];
            flows_.cancel(sink, v, supplied);
            supplied = 0;
        }
    }

    sink_flows& flows_;
    std::int64_t arcs_;  // arcs between ranks; after them, those of class vertices to all ranks
    std::int64_t slots_ = 0;
    signed_vector<std::int64_t> free_slots_;
    signed_vector<tree_class> growing_, done_;
};

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
