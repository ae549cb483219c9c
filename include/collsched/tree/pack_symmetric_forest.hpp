#pragma once

#include <cstdint>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/checked.hpp"
#include "collsched/core/fraction.hpp"
#include "collsched/topology/detail/cut_ratio.hpp"
#include "collsched/topology/network.hpp"
#include "collsched/topology/translations.hpp"
#include "collsched/tree/detail/parent_flow.hpp"
#include "collsched/tree/detail/parent_trees.hpp"
#include "collsched/tree/detail/switch_walks.hpp"
#include "collsched/tree/detail/walk_limits.hpp"
#include "collsched/tree/symmetric_forest.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace trees {

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
    symmetric_packing(const topology::network& net, const topology::translations& group)
        : group_(group),
          arcs_(net),
          orbits_(arcs_, group),
          graph_(topology::detail::make_capacity_graph(net)),
          walks_(arcs_, orbits_, net.ranks(), net.vertices()),
          fits_(walks_.run()) {
        if (fits_) limits_ = find_limits(walks_.walks(), orbits_.size.length());
        find_levels(net);
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
        parent_flow flow(group_, walks_, limits_, level_);
        fraction rate = bound.rate;
        while (!assign(flow, rate)) {
            if (error_) return failed_symmetric(error_);
            const fraction less = collsched::detail::product(flow.cut(), fraction(1, capacities_scale_));
            if (!below_bound || less == fraction(0))
                return failed_symmetric({"bandwidth", graph_.unit, "a bound that these trees attain"});
            rate = less;
        }
        return result(flow, bound.rate, rate);
    }

  private:
    static constexpr std::int64_t most_total = std::int64_t{1} << 60;

    /// Sets the level of each rank: the number of ranks on a path from rank 0, without rank 0 itself.
    void find_levels(const topology::network& net) {
        signed_vector<rank_t> reached(static_cast<std::size_t>(net.vertices()), -1), queue(1, 0), next;
        reached[0] = 0;
        for (rank_t level = 0; !queue.empty(); queue.swap(next), ++level) {
            next.clear();
            for (std::int64_t head = 0; head < queue.length(); ++head)
                for (const auto& half : graph_.graph.incident(queue[head])) {
                    if (!half.forward || reached[half.other] >= 0) continue;
                    reached[half.other] = level + (half.other < net.ranks() ? 1 : 0);
                    (half.other < net.ranks() ? next : queue).push_back(half.other);
                }
        }
        level_.assign(reached.begin(), reached.begin() + net.ranks());
    }

    /// Returns the factor by which all limits at a scale are whole.
    std::int64_t whole_factor(std::int64_t scale) const {
        checked factor = 1;
        for (std::int64_t o = 0; o < orbits_.size.length(); ++o) {
            const std::int64_t parts = group_.ranks() / orbits_.size[o];
            const std::int64_t capacity = orbits_.bandwidth[o] / graph_.unit % parts * (scale % parts) % parts;
            const std::int64_t needed = parts / collsched::detail::greatest_common_divisor(capacity, parts);
            factor = factor * (needed / collsched::detail::greatest_common_divisor(factor.value(), needed));
        }
        return factor.value();
    }
    /// Finds the fewest trees with a rate per rank, in units of the graph. Sets error_ if numbers are too large.
    bool assign(parent_flow& flow, const fraction& rate) {
        const std::int64_t whole = whole_factor(rate.denominator());
        for (std::int64_t factor = 1; factor <= whole; ++factor) {
            if (whole % factor != 0) continue;
            const checked total = checked(rate.numerator()) * factor, scale = checked(rate.denominator()) * factor;
            const checked all = total * group_.ranks();
            if (!all.ok() || !scale.ok() || all.value() >= most_total) return overflow();
            capacities_scale_ = scale.value(), total_ = total.value();
            if (!set_capacities()) return overflow();
            if (flow.assign(total_, capacities_)) return true;
        }
        return false;
    }
    bool overflow() {
        error_ = {"bandwidth", graph_.unit, "capacities whose sum, in units of a tree, is below 2^60"};
        return false;
    }
    /// Sets how often the trees of rank 0 may use the walks of each limit: each use of a link is one, in all trees of
    /// all ranks, of each link of its orbit, times ranks / size of the orbit.
    bool set_capacities() {
        capacities_.clear();
        for (const walk_limit& one : limits_.limits) {
            std::int64_t least = most_total;
            for (const std::int64_t o : one.orbits) {
                const checked capacity = checked(orbits_.bandwidth[o] / graph_.unit) * capacities_scale_;
                if (!capacity.ok()) return false;
                const std::int64_t uses = capacity.value() / (group_.ranks() / orbits_.size[o]);
                least = uses < least ? uses : least;
            }
            capacities_.push_back(least);
        }
        return true;
    }

    packed_symmetric_forest result(const parent_flow& flow, const fraction& bound, const fraction& rate) const {
        constexpr std::int64_t most_edges = 1 << 25;
        parent_trees trees(group_, walks_, flow, total_);
        if (trees.count() > most_edges / group_.ranks())
            return failed_symmetric({"bandwidth", graph_.unit, "bandwidths for fewer different trees"});
        packed_symmetric_forest packed{{trees.run(), group_}, of_all(rate), of_all(bound), {}};
        packed.result.first.unit = collsched::detail::product(fraction(graph_.unit), fraction(1, capacities_scale_));
        if (packed.bound == fraction(0) || packed.bandwidth == fraction(0))
            return failed_symmetric({"bandwidth", graph_.unit, "a bandwidth of all trees below 2^63"});
        return packed;
    }
    /// Returns bytes per second of all ranks, or 0 after an overflow.
    fraction of_all(const fraction& rate) const {
        return collsched::detail::product(collsched::detail::product(rate, fraction(graph_.unit)),
                                          fraction(group_.ranks()));
    }

    const topology::translations& group_;
    arc_table arcs_;
    link_orbits orbits_;
    topology::detail::capacity_graph graph_;
    walk_search walks_;
    bool fits_;
    walk_limits limits_;
    signed_vector<rank_t> level_;
    signed_vector<std::int64_t> capacities_;  // per limit
    std::int64_t capacities_scale_ = 1, total_ = 0;
    argument_error error_;
};

}  // namespace detail

/// Packs spanning out-trees of all ranks of a network with translations: those of rank 0, of which the trees of other
/// ranks are images. `bandwidth` is that of the trees, `bound` that of all cuts.
///
/// Every rank has its parents among the ranks that are fewer tree edges from the root than it; if that is not enough,
/// also among those of lower numbers at the same distance. So every choice of parents is a tree. The choices for all
/// ranks are one max flow, exact in whole numbers: from ranks over orbits of links to their capacities. If the bound
/// cannot be attained by such trees, the largest bandwidth that can be is, and `bandwidth < bound`.
///
/// Failure: `error` is set for a wrong network, one without translations (topology::find_translations()), ranks that are
/// not connected, paths over switches that are too many or share links of no hierarchy, and if sums of capacities reach
/// 2^60. Complexity: that of find_translations(), of a few max flows with ranks * walks arcs, and, per tree,
/// O(ranks * starts of a walk). A torus has one walk per direction; a rank of equal boxes has one inside the box and one
/// or more to other boxes.
/// @param net  the network
inline packed_symmetric_forest pack_symmetric_forest(const topology::network& net) {
    if (net.check()) return detail::failed_symmetric(net.check());
    if (net.ranks() < 2) return detail::failed_symmetric({"ranks", net.ranks(), "2 or more"});
    const topology::translations group = topology::find_translations(net);
    if (group.ranks() == 0)
        return detail::failed_symmetric({"ranks", net.ranks(), "ranks that translations of a torus map to each other"});
    return detail::symmetric_packing(net, group).run(true);
}

}}}  // namespace collsched::COLLSCHED_ABI::trees
