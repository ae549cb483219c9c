#pragma once

#include <cstdint>
#include <span>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/checked.hpp"
#include "collsched/core/fraction.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/topology/detail/cut_ratio.hpp"
#include "collsched/topology/network.hpp"
#include "collsched/tree/detail/pack_trees.hpp"
#include "collsched/tree/detail/remove_switches.hpp"
#include "collsched/tree/detail/sink_flows.hpp"
#include "collsched/tree/forest.hpp"
#include "collsched/tree/pack_symmetric_forest.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace trees {

namespace detail {

/// Replaces parallel arcs by one with the sum of their capacities, and divides capacities by their greatest common
/// divisor anew. The arcs of a vertex remain in sequence. Returns an error if a sum of capacities exceeds 63 bits.
inline argument_error merge_parallel(topology::detail::capacity_graph& net) {
    checked all = 0;
    for (std::int64_t i = 0; i < net.graph.arcs(); ++i) all = all + net.graph[i].capacity;
    if (!all.ok()) return {"bandwidth", net.unit, "bandwidths whose sum, divided by this one, is below 2^63"};
    flow_graph merged(net.graph.vertices());
    signed_vector<std::int64_t> sum(static_cast<std::size_t>(merged.vertices()), 0);  // all 0 again after each vertex
    std::int64_t common = 0;
    for (rank_t v = 0; v < merged.vertices(); ++v) {
        for (const flow_graph::half_arc& half : net.graph.incident(v))
            if (half.forward) sum[half.other] += net.graph[half.arc].capacity;
        for (const flow_graph::half_arc& half : net.graph.incident(v)) {
            if (!half.forward || sum[half.other] == 0) continue;
            common = collsched::detail::greatest_common_divisor(common, sum[half.other]);
            merged.add(v, half.other, sum[half.other]);
            sum[half.other] = 0;
        }
    }
    for (std::int64_t i = 0; i < merged.arcs(); ++i) merged[i].capacity /= common;
    if (common > 0) net.unit *= common;
    net.graph = static_cast<flow_graph&&>(merged);
    return {};
}

}  // namespace detail

/// A forest, and the algorithmic bandwidth that it attains.
struct packed_forest {
    forest result;         ///< spanning out-trees of each root
    fraction bandwidth;    ///< M / T in bytes per second, as in topology::network::cut_bound; 0 with an error
    argument_error error;  ///< wrong arguments, vertices that are not connected, or an overflow
};

namespace detail {

/// Most numbers in the flows to all ranks: 4 GiB.
inline constexpr std::int64_t most_flow_values = std::int64_t{1} << 29;

inline packed_forest failed_forest(const argument_error& error) { return {{}, 0, error}; }

/// Copies the flows between ranks to a graph of the ranks alone, without arcs of capacity 0.
inline sink_flows flows_of_ranks(sink_flows& flows, arc_paths& paths) {
    const rank_t ranks = flows.sinks();
    flow_graph graph(ranks);
    arc_paths kept_paths;
    signed_vector<std::int64_t> kept;
    for (std::int64_t i = 0; i < flows.graph().arcs(); ++i) {
        const flow_graph::arc& arc = flows.graph()[i];
        if (arc.capacity == 0 || arc.from >= ranks || arc.to >= ranks) continue;
        graph.add(arc.from, arc.to, arc.capacity);
        kept.push_back(i);
        kept_paths.push_back(static_cast<signed_vector<routed_path>&&>(paths[i]));
    }
    sink_flows result(static_cast<flow_graph&&>(graph), ranks);
    for (rank_t sink = 0; sink < ranks; ++sink)
        for (std::int64_t i = 0; i < kept.length(); ++i) result[sink][i] = flows[sink][kept[i]];
    paths = static_cast<arc_paths&&>(kept_paths);
    return result;
}

/// Splits off the switches and packs. Returns an error if that is impossible at these rates.
inline packed_forest pack_at(const tree_rates& rates, rank_t ranks, std::span<const rank_t> roots,
                             surplus_order order = surplus_order::in_proportion) {
    sink_flows flows(rates.graph, ranks);
    if (!flows.supply_roots(roots, rates.total)) return failed_forest({"bandwidth", 0, "enough for the trees"});
    arc_paths paths;
    for (std::int64_t i = 0; i < flows.graph().arcs(); ++i)
        paths.push_back({{{flows.graph()[i].from, flows.graph()[i].to}, flows.capacity(i)}});
    if (const rank_t w = switch_removal(flows, paths, order).run(); w >= 0)
        return failed_forest({"switch", w, "as much capacity in as out"});
    sink_flows between = flows_of_ranks(flows, paths);
    tree_packing packing(between);
    for (const rank_t root : roots)
        if (!packing.pack(root, rates.total)) return failed_forest({"root", root, "trees"});
    tree_router router(between.graph(), static_cast<arc_paths&&>(paths));
    for (const tree_class& equal_trees : packing.trees()) router.add(equal_trees);
    packed_forest packed{router.result(), 0, {}};
    packed.result.ranks = ranks;
    packed.result.total = rates.total;
    return packed;
}

/// Divides bytes per second of a whole network by a scale, or reports an overflow.
inline packed_forest with_bandwidth(packed_forest packed, const fraction& unit, const fraction& scale,
                                    std::int64_t roots) {
    packed.result.unit = collsched::detail::product(unit, fraction(scale.denominator(), scale.numerator()));
    const checked trees = checked(packed.result.total) * roots;
    if (trees.ok()) packed.bandwidth = collsched::detail::product(packed.result.unit, fraction(trees.value()));
    if (packed.bandwidth == fraction(0))
        return failed_forest({"bandwidth", unit.numerator(), "a bandwidth of all trees below 2^63"});
    return packed;
}

inline bool needs_copies(const packed_forest& packed) {
    return packed.error && collsched::detail::same_text(packed.error.argument, "switch");
}

/// Packs trees at lower rates than the cuts allow, until all switches can be removed: halves the rate until that
/// succeeds, then bisects between this rate and twice as much, in steps of 1/32 of it. Returns `failed` if no rate down
/// to 2^-20 of the bound succeeds.
inline packed_forest pack_below(const rate_choice& choice, const tree_rates& rates, rank_t ranks,
                                std::span<const rank_t> roots, const fraction& unit, std::int64_t finer,
                                surplus_order order, packed_forest failed) {
    constexpr std::int64_t parts = 64, halves = 20;
    const auto count = static_cast<std::int64_t>(roots.size());
    for (std::int64_t i = 0; i < halves; ++i) {
        bool found = false;
        for (std::int64_t low = parts / 2 - 1, high = parts, part = parts / 2; high - low > 1;
             part = low + (high - low) / 2) {
            const tree_rates lower = choice.below(rates, part, parts << i, finer);
            if (lower.error) return i == 0 ? failed_forest(lower.error) : failed;
            packed_forest packed = pack_at(lower, ranks, roots, order);
            if (packed.error && !needs_copies(packed)) return packed;
            if (packed.error && !found) break;
            (packed.error ? high : low) = part;
            if (packed.error) continue;
            found = true;
            failed = with_bandwidth(static_cast<packed_forest&&>(packed), unit, lower.scale, count);
        }
        if (found) break;
    }
    return failed;
}

/// Packs trees at the rate that the cuts allow, or, if a switch would have to copy, below it.
inline packed_forest pack_graph(const capacity_graph& net, std::span<const rank_t> roots, std::int64_t trees_per_root) {
    const topology::detail::cut_ratio bound = topology::detail::cut_ratio_search(net, roots).run();
    if (bound.error) return failed_forest(bound.error);
    const rate_choice choice(net, roots, bound.rate);
    const tree_rates rates = trees_per_root == 0 ? choice.exact() : choice.fixed(trees_per_root);
    if (rates.error) return failed_forest(rates.error);
    packed_forest packed = pack_at(rates, net.ranks, roots);
    if (needs_copies(packed)) {
        const auto below = [&](surplus_order order) {
            return pack_below(choice, rates, net.ranks, roots, fraction(net.unit), trees_per_root == 0 ? 64 : 1, order,
                              packed);
        };
        packed_forest first = below(surplus_order::in_proportion), second = below(surplus_order::switches_first);
        return second.error || !(first.bandwidth < second.bandwidth) ? first : second;
    }
    if (packed.error) return packed;
    return with_bandwidth(static_cast<packed_forest&&>(packed), fraction(net.unit), rates.scale,
                          static_cast<std::int64_t>(roots.size()));
}

/// Packs the trees of all ranks as images of those of rank 0, if that attains the bound. Otherwise the result has no
/// trees, and no error if others may attain it.
inline packed_forest pack_images(const topology::network& net) {
    constexpr std::int64_t most_edges = std::int64_t{1} << 26;
    const topology::network::translations group = topology::find_translations(net);
    if (group.ranks() == 0) return {};
    const packed_symmetric_forest packed = symmetric_packing(net, group).run(false);
    if (packed.error) return {};
    if (packed.result.expanded_edges() > most_edges)
        return failed_forest({"ranks", net.ranks(), "trees of at most 2^26 edges; see pack_symmetric_forest()"});
    return {packed.result.expanded(), packed.bandwidth, {}};
}

inline argument_error check_roots(const topology::network& net, std::span<const rank_t> roots) {
    if (roots.empty()) return {"roots", 0, "1 or more"};
    std::int64_t i = 0;
    for (rank_t before = -1; const rank_t root : roots) {
        if (root <= before || root >= net.ranks()) return {"roots", root, "ranks in ascending order", i};
        before = root, ++i;
    }
    return {};
}

}  // namespace detail

/// Packs spanning out-trees of a network that together attain the bound of its cuts: `bandwidth` is that of
/// topology::throughput_bound() for allgather if all ranks are roots, for broadcast if one is.
///
/// For reduce_scatter and reduce, reverse all links of the network, and read the trees as in-trees, from their last edge
/// to the first, each path backward.
///
/// Steps: the rate x* of each root (cut_ratio.hpp), whole capacities and the number of trees (sink_flows.hpp), switches
/// split off (remove_switches.hpp), packing between ranks and paths through the network (pack_trees.hpp). Source: Zhao et
/// al., arXiv 2402.06787.
///
/// If all ranks are roots of as many trees as the bound needs, and the network has translations, the trees of all roots
/// are images of those of rank 0, which takes far less time: pack_symmetric_forest(). The steps above follow only if
/// such trees do not attain the bound.
///
/// If a switch has less capacity in than out, trees may not attain the bound, since a switch that forwards without
/// copying cannot send more than it receives. Then the trees have a lower rate for which all switches can be removed,
/// found in steps of 1/32, by the better one of two orders in which such switches lose capacity. `bandwidth` is that of the
/// trees: it is no optimum, and topology::forwarding_bound() may be above it. `error` names a switch if no rate is
/// found down to 2^-20 of the bound.
///
/// Failure: `error` is set for a wrong network, fewer than two ranks, wrong roots or numbers, ranks that are not
/// connected, more than 2^29 ranks * links unless the trees are images, images with more than 2^26 edges, and if sums of
/// capacities, in units of a tree, reach 2^60. Complexity: polynomial in ranks and links; in practice, the trees of N
/// ranks take about N^2 reroutings of a few flows each. Memory: 8 bytes per rank and link, and per rank and pair of ranks
/// that a switch connects. Images of trees take O(edges).
/// @param net             the network
/// @param roots           ranks whose data the trees carry, ascending: all, or one for broadcast
/// @param trees_per_root  sum of the weights of the trees of a root, at most 2^31: 0 for as much as the bound needs;
///                        otherwise the bandwidth is the best for that sum, which may be less
inline packed_forest pack_forest(const topology::network& net, std::span<const rank_t> roots,
                                 std::int64_t trees_per_root = 0) {
    if (net.check()) return detail::failed_forest(net.check());
    if (net.ranks() < 2) return detail::failed_forest({"ranks", net.ranks(), "2 or more"});
    if (argument_error error = detail::check_roots(net, roots)) return detail::failed_forest(error);
    if (trees_per_root < 0 || trees_per_root > std::int64_t{1} << 31)
        return detail::failed_forest({"trees_per_root", trees_per_root, "0 to 2^31"});
    if (trees_per_root == 0 && std::ssize(roots) == net.ranks()) {
        packed_forest packed = detail::pack_images(net);
        if (packed.error || !packed.result.trees.empty()) return packed;
    }
    detail::capacity_graph graph = topology::detail::make_capacity_graph(net);
    if (argument_error error = detail::merge_parallel(graph)) return detail::failed_forest(error);
    if (graph.graph.arcs() > detail::most_flow_values / net.ranks())
        return detail::failed_forest({"ranks", net.ranks(), "at most 2^29 divided by the number of links"});
    return detail::pack_graph(graph, roots, trees_per_root);
}

}}}  // namespace collsched::COLLSCHED_ABI::trees
