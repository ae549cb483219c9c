#pragma once

#include <cstdint>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/checked.hpp"
#include "collsched/core/fraction.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/topology/detail/arc_table.hpp"
#include "collsched/topology/detail/cut_ratio.hpp"
#include "collsched/topology/translations.hpp"
#include "collsched/topology/network.hpp"
#include "collsched/tree/detail/parent_flow.hpp"
#include "collsched/tree/detail/switch_walks.hpp"
#include "collsched/tree/forest.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace trees {

/// A forest in which the trees of each rank are images of those of rank 0 under translations of the network. It has the
/// size of the trees of rank 0.
struct symmetric_forest {
    forest first;                           ///< the trees of rank 0 alone
    topology::network::translations group;  ///< translations of the network

    /// Returns the number of edges of expanded().
    /// @return edges, or 2^63 - 1 if they are more
    std::int64_t expanded_edges() const {
        return collsched::detail::saturated(checked(first.edges.size()) * first.ranks);
    }
    /// Returns the forest with the trees of all ranks. O(ranks * (edges + vertices) of the trees of rank 0), also the
    /// memory: a torus of 4096 ranks with 6 trees per rank has 10^8 edges of 48 bytes.
    /// @pre group.ranks() == first.ranks
    forest expanded() const {
        forest result;
        result.ranks = first.ranks, result.total = first.total, result.unit = first.unit;
        result.trees = owned_array<forest::tree>(first.trees.size() * first.ranks);
        result.edges = owned_array<forest::edge>(first.edges.size() * first.ranks);
        result.vertices = owned_array<rank_t>(first.vertices.size() * first.ranks);
        std::int64_t tree = 0, edge = 0, vertex = 0;
        for (rank_t r = 0; r < first.ranks; ++r) {
            const std::int64_t edges = edge, vertices = vertex;  // of the ranks before
            for (const forest::tree& t : first.trees)
                result.trees[tree++] = {r, t.weight, t.first_edge + edges, t.end_edge + edges};
            for (const forest::edge& e : first.edges)
                result.edges[edge++] = {group.image(e.from, r), group.image(e.to, r), e.first_vertex + vertices,
                                        e.end_vertex + vertices};
            for (const rank_t v : first.vertices) result.vertices[vertex++] = group.image(v, r);
        }
        return result;
    }
    /// Returns the load of each link: the sum of the weights of the trees of all ranks that pass from its sender to its
    /// receiver, over this link or one parallel to it. Multiplied by `first.unit` it is at most the sum of bandwidths of
    /// these links. O(links log links + vertices of the trees of rank 0).
    /// @param net  the network of the forest and of its translations
    /// @return weights by index of the link, 2^63 - 1 if they are larger
    owned_array<std::int64_t> loads(const topology::network& net) const {
        const topology::detail::arc_table arcs(net);
        const topology::detail::link_orbits orbits(arcs, group);
        topology::detail::signed_vector<checked> uses(orbits.size.size(), 0);
        for (const forest::tree& tree : first.trees)
            for (const forest::edge& edge : first.edges_of(tree))
                for (std::int64_t i = edge.first_vertex + 1; i < edge.end_vertex; ++i) {
                    checked& sum = uses[orbits.of[arcs.find(first.vertices[i - 1], first.vertices[i])]];
                    sum = sum + tree.weight;
                }
        owned_array<std::int64_t> loads(std::ssize(net.links()));
        std::int64_t next = 0;
        for (const topology::network::link& link : net.links()) {
            const std::int64_t orbit = orbits.of[arcs.find(link.from, link.to)];
            loads[next++] = collsched::detail::saturated(uses[orbit] * (first.ranks / orbits.size[orbit]));
        }
        return loads;
    }
    /// Returns the largest number of edges from the root to a rank, in any tree. O(edges).
    rank_t depth() const {
        owned_array<rank_t> level(first.ranks);
        rank_t most = 0;
        for (const forest::tree& tree : first.trees) {
            level[tree.root] = 0;
            for (const forest::edge& edge : first.edges_of(tree)) {
                level[edge.to] = level[edge.from] + 1;
                most = level[edge.to] > most ? level[edge.to] : most;
            }
        }
        return most;
    }
};

/// A symmetric forest, and the algorithmic bandwidth that it attains.
struct packed_symmetric_forest {
    symmetric_forest result;  ///< spanning out-trees of rank 0, with the translations
    fraction bandwidth;       ///< M / T in bytes per second for an allgather of M bytes; 0 with an error
    fraction bound;           ///< the bound of all cuts, as topology::throughput_bound() for allgather; 0 with an error
    argument_error error;     ///< a wrong network, no translations, or numbers that are too large
};

namespace detail {

inline packed_symmetric_forest failed_symmetric(const argument_error& error) { return {{}, 0, 0, error}; }

/// Packs the trees of rank 0 in a network with translations.
class symmetric_packing {
  public:
    symmetric_packing(const topology::network& net, const topology::network::translations& group)
        : group_(group),
          arcs_(net),
          graph_(topology::detail::make_capacity_graph(net)),
          walks_(arcs_, orbits_, net.ranks(), net.vertices()) {
        if (fits_) limits_ = find_limits(walks_.walks(), orbits_.size.length());
        if (limits_.nested) return;
        walks_.keep_returning();
        limits_ = find_limits(walks_.walks(), orbits_.size.length());
    }

    /// @param below_bound  whether a bandwidth below the bound is a result
    packed_symmetric_forest run(bool below_bound) {
        constexpr std::int64_t most_choices = 1 << 25;
        if (!fits_ || walks_.walks().length() > most_choices / group_.ranks())
            return failed_symmetric({"links", arcs_.size(), "fewer paths over switches to a rank"});
        if (!limits_.nested) return failed_symmetric({"links", arcs_.size(), "paths that share links as in a tree"});
        owned_array<rank_t> roots(group_.ranks());
        for (rank_t r = 0; r < group_.ranks(); ++r) roots[r] = r;
        const topology::detail::cut_ratio bound = topology::detail::cut_ratio_search(graph_, roots, 1).run();
        if (bound.error) return failed_symmetric(bound.error);
        const signed_vector<rank_t> level = hop_levels(graph_.graph, group_.ranks());
        packed_symmetric_forest best = pack(level, bound.rate, below_bound);
        if (error_ || (!best.error && best.bandwidth == best.bound)) return best;
        const signed_vector<rank_t> order = capacity_order(group_, orbits_, walks_);
        packed_symmetric_forest other = pack(order, bound.rate, below_bound);
        return !other.error && (best.error || best.bandwidth < other.bandwidth) ? other : best;
    }

  private:
    static constexpr std::int64_t most_total = std::int64_t{1} << 60;

    /// Packs trees in which parents come before their children in an order.
    packed_symmetric_forest pack(const signed_vector<rank_t>& level, const fraction& bound, bool below_bound) {
        parent_flow flow(group_, walks_, limits_, level);
        for (fraction rate = bound; !assign(flow, rate);) {
            if (error_) return failed_symmetric(error_);
            rate = collsched::detail::product(flow.cut(), fraction(1, scale_));
            if (!below_bound || rate == fraction(0))
                return failed_symmetric({"bandwidth", graph_.unit, "a bound that these trees attain"});
        }
        return result(flow, bound);
    }

    /// Returns the factor by which all limits at a scale are whole.
    std::int64_t whole_factor(std::int64_t scale) const {
        std::int64_t factor = 1;
        for (std::int64_t o = 0; o < orbits_.size.length(); ++o) {
            const std::int64_t parts = group_.ranks() / orbits_.size[o];
            const std::int64_t capacity = orbits_.bandwidth[o] / graph_.unit % parts * (scale % parts) % parts;
            const std::int64_t needed = parts / collsched::detail::greatest_common_divisor(capacity, parts);
            factor = factor * (needed / collsched::detail::greatest_common_divisor(factor, needed));
        }
        return factor;
    }
    /// Finds few trees with a rate per rank, in units of the graph. Sets error_ if numbers are too large.
    bool assign(parent_flow& flow, const fraction& rate) {
        if (assign(flow, rate, 1)) return true;
        const std::int64_t integral = whole_factor(rate.denominator());
        if (integral == 1 || !assign(flow, rate, integral)) return false;
        std::int64_t factor = 2;
        while (integral % factor != 0 || !assign(flow, rate, factor)) ++factor;
        return true;
    }
    /// Finds trees that are `factor` times as many as whole numbers of trees require.
    bool assign(parent_flow& flow, const fraction& rate, std::int64_t factor) {
        const checked total = checked(rate.numerator()) * factor, scale = checked(rate.denominator()) * factor;
        const checked all = total * group_.ranks();
        if (!all.ok() || !scale.ok() || all.value() >= most_total) return overflow();
        scale_ = scale.value(), total_ = total.value();
        return set_capacities() ? flow.assign(total_, capacities_) : overflow();
    }
    bool overflow() {
        error_ = {"bandwidth", graph_.unit, "capacities whose sum, in units of a tree, is below 2^60"};
        return false;
    }
    /// Sets how often the trees of rank 0 may use the walks of each limit: each use of a link is one, in all trees of
    /// all ranks, of each link of its orbit, times ranks / size of the orbit.
    bool set_capacities() {
        capacities_.clear();
        for (const walk_limit& limit : limits_.limits) {
            std::int64_t least = most_total;
            for (const std::int64_t o : limit.orbits) {
                const checked capacity = checked(orbits_.bandwidth[o] / graph_.unit) * scale_;
                if (!capacity.ok()) return false;
                const std::int64_t uses = capacity.value() / (group_.ranks() / orbits_.size[o]);
                least = uses < least ? uses : least;
            }
            capacities_.push_back(least);
        }
        return true;
    }

    packed_symmetric_forest result(const parent_flow& flow, const fraction& bound) const {
        constexpr std::int64_t most_edges = 1 << 25;
        parent_trees trees(group_, walks_, flow, total_);
        if (trees.count() > most_edges / group_.ranks())
            return failed_symmetric({"bandwidth", graph_.unit, "bandwidths for fewer different trees"});
        packed_symmetric_forest packed{{trees.run(), group_}, of_all(fraction(total_, scale_)), of_all(bound), {}};
        packed.result.first.unit = collsched::detail::product(fraction(graph_.unit), fraction(1, scale_));
        if (packed.bound == fraction(0) || packed.bandwidth == fraction(0))
            return failed_symmetric({"bandwidth", graph_.unit, "a bandwidth of all trees below 2^63"});
        return packed;
    }
    /// Returns bytes per second of all ranks, or 0 after an overflow.
    fraction of_all(const fraction& rate) const {
        return collsched::detail::product(collsched::detail::product(rate, fraction(graph_.unit)),
                                          fraction(group_.ranks()));
    }

    const topology::network::translations& group_;
    arc_table arcs_;
    link_orbits orbits_{arcs_, group_};
    topology::detail::capacity_graph graph_;
    walk_search walks_;
    bool fits_ = walks_.run();
    walk_limits limits_;
    signed_vector<std::int64_t> capacities_;  // per limit
    std::int64_t scale_ = 1, total_ = 0;
    argument_error error_;
};

}  // namespace detail

/// Packs spanning out-trees of all ranks of a network with translations: those of rank 0, of which the trees of other
/// ranks are images. `bandwidth` is that of the trees, `bound` that of all cuts.
///
/// Each rank has its parents among the ranks before it in an order of all ranks, so that every choice of parents is a
/// tree. The choices of all ranks are one max flow in whole numbers, from ranks over orbits of links to their
/// capacities. The order is that of distances from the root, and parents are closer to the root than the rank as far as
/// capacities allow. If that does not attain the bound, the order is that of capacity_order(), which fills fast parts
/// of the network first. `bandwidth < bound` if neither does: then it is the largest bandwidth of either order.
///
/// Failure: `error` is set for a wrong network, one without translations (topology::find_translations()), ranks that are
/// not connected, paths over switches that are too many or share links of no hierarchy, more than 2^25 edges of the
/// trees of rank 0, and if sums of capacities reach 2^60. Complexity: that of find_translations(), of a few max flows with ranks * walks arcs, and, per tree,
/// O(ranks * starts of a walk). A torus has one walk per direction; a rank of equal boxes has one inside the box and one
/// or more to other boxes.
/// @param net  the network
inline packed_symmetric_forest pack_symmetric_forest(const topology::network& net) {
    if (net.check()) return detail::failed_symmetric(net.check());
    if (net.ranks() < 2) return detail::failed_symmetric({"ranks", net.ranks(), "2 or more"});
    const topology::network::translations group = topology::find_translations(net);
    if (group.ranks() == 0)
        return detail::failed_symmetric({"ranks", net.ranks(), "ranks that translations of a torus map to each other"});
    return detail::symmetric_packing(net, group).run(true);
}

}}}  // namespace collsched::COLLSCHED_ABI::trees
