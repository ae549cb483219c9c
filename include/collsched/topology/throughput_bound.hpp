#pragma once

#include <cstdint>
#include <span>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/checked.hpp"
#include "collsched/core/fraction.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/schedule/contract.hpp"
#include "collsched/topology/detail/cut_ratio.hpp"
#include "collsched/topology/network.hpp"
#include "collsched/topology/translations.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace topology {

/// An upper bound of the algorithmic bandwidth of a collective on a network, with the cut that proves it.
///
/// The algorithmic bandwidth is M / T: M is the size in bytes of the whole result (of all blocks for allgather, of the
/// input of a rank for reduce_scatter and allreduce, of the message for broadcast and reduce), T the time. Latency is
/// not counted.
struct network::cut_bound {
    fraction bandwidth;               ///< bytes per second; no schedule has more. 0 with an error
    owned_array<rank_t> cut;          ///< vertices on one side of the saturated cut, ascending; empty: no cut decides
    owned_array<std::int64_t> links;  ///< indices of the links that leave the cut, or, for reduce and reduce_scatter,
                                      ///< that enter it, ascending
    argument_error error;             ///< wrong arguments, vertices that are not connected, or an overflow
};

namespace detail {

/// Returns a bound from the least ratio of a cut, for data of `messages` roots, or the error of an overflow.
inline network::cut_bound make_bound(const capacity_graph& net, const cut_ratio& found, std::int64_t messages) {
    if (found.error) return {0, {}, {}, found.error};
    const std::int64_t common = collsched::detail::greatest_common_divisor(net.unit, found.rate.denominator());
    const checked rate = checked(found.rate.numerator()) * (net.unit / common) * messages;
    if (!rate.ok()) return {0, {}, {}, {"bandwidth", net.unit, "a bound below 2^63 bytes per second"}};
    signed_vector<std::int64_t> vertices, links;
    for (rank_t v = 0; v < found.inside.length(); ++v)
        if (found.inside[v]) vertices.push_back(v);
    for (std::int64_t i = 0; i < net.graph.arcs(); ++i)
        if (found.inside[net.graph[i].from] && !found.inside[net.graph[i].to]) links.push_back(i);
    return {{rate.value(), found.rate.denominator() / common},
            owned_array<rank_t>(vertices),
            owned_array<std::int64_t>(links),
            {}};
}

inline network::cut_bound bound_of_roots(const network& net, std::span<const rank_t> roots, rank_t sinks) {
    const capacity_graph graph = make_capacity_graph(net);
    return make_bound(graph, cut_ratio_search(graph, roots, sinks).run(), static_cast<std::int64_t>(roots.size()));
}

/// Returns the bound of data of all ranks. Where translations map every rank to every other one, one sink suffices.
inline network::cut_bound bound_of_all(const network& net) {
    owned_array<rank_t> all(net.ranks());
    for (rank_t r = 0; r < net.ranks(); ++r) all[r] = r;
    return bound_of_roots(net, all, find_translations(net).ranks() > 0 ? 1 : net.ranks());
}

/// Lowers a bound of allreduce to that of the traffic of all ranks: 2 (p-1) M bytes enter, and leave, ranks.
inline void limit_traffic(const network& net, network::cut_bound& bound) {
    std::int64_t unit = 0;
    for (const network::link& link : net.links())
        unit = collsched::detail::greatest_common_divisor(unit, link.bandwidth);
    checked in = 0, out = 0;  // in units
    for (const network::link& link : net.links()) {
        if (!net.is_switch(link.to)) in = in + link.bandwidth / unit;
        if (!net.is_switch(link.from)) out = out + link.bandwidth / unit;
    }
    const fraction share(unit, 2 * (net.ranks() - 1));
    for (const checked& sum : {in, out}) {
        if (!sum.ok())
            bound = {0, {}, {}, {"bandwidth", unit, "bandwidths whose sum, divided by this one, is below 2^63"}};
        if (!sum.ok()) return;
        const fraction part(sum.value(), share.denominator());
        const checked limit = checked(part.numerator()) * share.numerator();
        // A whole limit of 2^63 or more is above that of the cuts.
        if (!limit.ok() && part.denominator() == 1) continue;
        if (!limit.ok()) bound = {0, {}, {}, {"bandwidth", unit, "a bound below 2^63 bytes per second"}};
        if (!limit.ok()) return;
        const fraction all(limit.value(), part.denominator());
        if (all < bound.bandwidth) bound = {all, {}, {}, {}};
    }
}

/// Returns the smaller one of the bounds of broadcast and reduce, lowered to the traffic of all ranks.
inline network::cut_bound allreduce_bound(const network& net) {
    const rank_t root[] = {0};
    network::cut_bound forward = bound_of_roots(net, root, net.ranks()),
                       backward = bound_of_roots(net.reversed(), root, net.ranks());
    if (forward.error) return forward;
    network::cut_bound& least = backward.error || backward.bandwidth < forward.bandwidth ? backward : forward;
    if (!least.error) limit_traffic(net, least);
    return least;
}

}  // namespace detail

/// Returns an upper bound of the algorithmic bandwidth of a collective, by exact arithmetic.
///
/// - allgather: N blocks of M / N bytes. The ranks of a set S of vertices hold |S and ranks| M / N bytes that a rank
///   outside lacks, so T >= (M/N) max |S and ranks| / B+(S). B+(S) is the capacity of the links that leave S. Trees
///   attain the bound if each switch has equal capacities in and out. Source: Zhao et al., arXiv 2402.06787.
/// - reduce_scatter: the same on the network with reversed links.
/// - broadcast: the least max flow from the root to a rank. Trees attain it under the same condition. Source: Edmonds
///   1972. reduce: the same with reversed links.
/// - allreduce: the smaller one of two bounds, which no construction is proved to attain. First, M bytes cross each cut
///   that separates ranks, in both directions: for fixed inputs on one side its results depend one-to-one on M bytes
///   of the other side. Second, each element takes 2 (N-1) messages between ranks if no message combines different
///   elements: N-1 until the first rank has its result, since every other rank sends one before, and then one to each
///   other rank. So 2 (N-1) M bytes enter ranks, and leave ranks. No cut proves this one.
///
/// Switches send on, and neither copy nor combine. A switch that copies cannot exceed the bounds of cuts either.
///
/// Failure: `bandwidth` is 0 and `error` set for a wrong network, root or other collective, fewer than two ranks (then
/// no data moves, and no bound exists), for a rank that is not connected, and if capacities, divided by their greatest
/// common divisor, are too large for sums in 64 bits. Complexity: a few max flows per rank, or a few in all
/// for allgather and reduce_scatter on a network with translations (find_translations()).
/// @param net        the network
/// @param operation  collective::allgather, reduce_scatter, broadcast, reduce or allreduce
/// @param root       root of broadcast and reduce, 0 .. ranks-1
inline network::cut_bound throughput_bound(const network& net, collective operation, rank_t root = 0) {
    const auto failed = [](const argument_error& error) { return network::cut_bound{0, {}, {}, error}; };
    if (net.check()) return failed(net.check());
    if (net.ranks() < 2) return failed({"ranks", net.ranks(), "2 or more"});
    if (root < 0 || root >= net.ranks()) return failed({"root", root, "0 to ranks-1"});
    if (operation == collective::broadcast || operation == collective::reduce)
        return detail::bound_of_roots(operation == collective::reduce ? net.reversed() : net, {&root, 1}, net.ranks());
    if (operation == collective::allreduce) return detail::allreduce_bound(net);
    if (operation != collective::allgather && operation != collective::reduce_scatter)
        return failed({"collective", static_cast<std::int64_t>(operation),
                       "allgather, reduce_scatter, broadcast, reduce or allreduce"});
    return detail::bound_of_all(operation == collective::reduce_scatter ? net.reversed() : net);
}

}}}  // namespace collsched::COLLSCHED_ABI::topology
