#pragma once

#include <cstdint>
#include <span>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/checked.hpp"
#include "collsched/core/fraction.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/topology/detail/cut_ratio.hpp"
#include "collsched/topology/detail/max_flow.hpp"
#include "collsched/topology/network.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace topology {

namespace detail {

/// The shortest paths from one vertex, by the sum of prices of arcs, then by the number of arcs. It keeps the memory of
/// its searches. O(V^2 + E) per search. Source: Dijkstra 1959.
class shortest_paths {
  public:
    /// Finds the paths from `source`.
    /// @param graph   the graph
    /// @param prices  per arc, 0 or more; sums along paths are below 2^63
    void find(const flow_graph& graph, std::span<const std::int64_t> prices, rank_t source) {
        const rank_t vertices = graph.vertices();
        at_.assign(static_cast<std::size_t>(vertices), {});
        order_.clear();
        at_[source] = {0, 0, true, false};
        for (rank_t v = source; v >= 0; v = closest()) {
            at_[v].settled = true;
            order_.push_back(v);
            for (const flow_graph::half_arc& half : graph.incident(v))
                if (half.forward) relax(v, half.other, prices[static_cast<std::size_t>(half.arc)]);
        }
    }
    /// Returns the vertices that are reached, in ascending distance from the source.
    std::span<const rank_t> order() const { return order_; }
    bool reached(rank_t v) const { return at_[v].reached; }
    /// Returns the sum of prices on the shortest path to v. @pre reached(v)
    std::int64_t distance(rank_t v) const { return at_[v].distance; }
    /// Returns whether an arc of this price from u to v is on a shortest path to v.
    bool is_tight(rank_t u, rank_t v, std::int64_t price) const {
        return at_[u].reached && at_[u].distance + price == at_[v].distance && at_[u].arcs + 1 == at_[v].arcs;
    }

  private:
    struct state {
        std::int64_t distance{}, arcs{};
        bool reached = false, settled = false;
        bool farther_than(const state& other) const {
            return !reached || distance > other.distance || (distance == other.distance && arcs > other.arcs);
        }
    };

    void relax(rank_t from, rank_t to, std::int64_t price) {
        const state found{at_[from].distance + price, at_[from].arcs + 1, true, false};
        if (at_[to].farther_than(found)) at_[to] = found;
    }
    rank_t closest() const {
        rank_t best = -1;
        for (rank_t v = 0; v < at_.length(); ++v)
            if (at_[v].reached && !at_[v].settled && (best < 0 || at_[best].farther_than(at_[v]))) best = v;
        return best;
    }

    signed_vector<state> at_;
    signed_vector<rank_t> order_;
};

}  // namespace detail

/// An upper bound of the algorithmic bandwidth of an alltoall on a network, with the prices of links that prove it.
struct network::flow_bound {
    fraction bandwidth;                ///< bytes per second; no schedule has more. 0 with an error
    owned_array<std::int64_t> prices;  ///< per link: price_bound() of them is `bandwidth`
    double attained = 0;   ///< bytes per second of flows that were found, up to rounding errors of double; 0
                           ///< if none were searched
    argument_error error;  ///< wrong arguments, vertices that are not connected, or an overflow

    /// Returns the part of the bound by which the flows that were found are below it: 0 up to rounding for the optimum.
    double gap() const { return 1 - attained / bandwidth.value(); }
};

namespace detail {

/// Most of a price: sums along paths of 2^30 links are below 2^63.
inline constexpr std::int64_t most_price = std::int64_t{1} << 32;

inline argument_error check_prices(std::int64_t links, std::span<const std::int64_t> prices) {
    const auto count = static_cast<std::int64_t>(prices.size());
    if (count != links) return {"prices", count, "one price per link"};
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t price = prices[static_cast<std::size_t>(i)];
        if (price < 0 || price > most_price) return {"prices", price, "0 to 2^32", i};
    }
    return {};
}

inline network::flow_bound failed_flow_bound(const argument_error& error) { return {0, {}, 0, error}; }

/// Returns the sum of the shortest distances between all ordered pairs of ranks. `visit` is called for each source.
inline checked total_distance(const capacity_graph& net, std::span<const std::int64_t> prices, argument_error& error,
                              auto visit) {
    shortest_paths paths;
    checked total = 0;
    for (rank_t source = 0; source < net.ranks; ++source) {
        paths.find(net.graph, prices, source);
        for (rank_t v = 0; v < net.ranks; ++v) {
            if (!paths.reached(v)) error = {"vertex", v, "a rank that all ranks reach"};
            if (error) return total;
            total = total + paths.distance(v);
        }
        visit(source, paths);
    }
    return total;
}

/// Returns the product of two positive fractions, rounded up if a part of it exceeds 63 bits; 0 if it is 2^63 or more.
inline fraction product_above(fraction a, const fraction& b) {
    fraction found = collsched::detail::product(a, b);
    while (found == fraction(0) && a.denominator() > 1) {
        a = fraction(a.numerator() / 2 + 1, a.denominator() / 2);
        found = collsched::detail::product(a, b);
    }
    return found;
}

/// Returns the bound of prices that check_prices() accepts.
inline network::flow_bound bound_of_prices(const capacity_graph& net, std::span<const std::int64_t> prices,
                                           auto visit) {
    checked cost = 0;
    for (std::int64_t i = 0; i < net.graph.arcs(); ++i)
        cost = cost + checked(net.graph[i].capacity) * prices[static_cast<std::size_t>(i)];
    argument_error error;
    const checked distance = total_distance(net, prices, error, visit), scale = checked(net.unit) * net.ranks;
    if (error) return failed_flow_bound(error);
    if (distance.ok() && distance.value() == 0)
        return failed_flow_bound({"prices", 0, "a price above 0 on the paths between two ranks"});
    if (!cost.ok() || !distance.ok() || !scale.ok())
        return failed_flow_bound({"bandwidth", net.unit, "bandwidths whose sum, times prices or ranks, is below 2^63"});
    const fraction bound = product_above(fraction(cost.value(), distance.value()), fraction(scale.value()));
    if (bound == fraction(0)) return failed_flow_bound({"bandwidth", net.unit, "a bound below 2^63 bytes per second"});
    return {bound, owned_array<std::int64_t>(prices), 0, {}};
}

}  // namespace detail

/// Returns the upper bound of the algorithmic bandwidth of an alltoall that prices of links prove, by exact arithmetic.
/// A fraction whose parts exceed 63 bits is rounded up.
///
/// An alltoall of M bytes per rank moves a block of M / N bytes between each ordered pair of N ranks. Along every path a
/// block pays at least the shortest distance by prices, and a link of B bytes per second receives at most its price
/// times B T in a time T. So T >= (M / N) D / C with D, the sum of the distances over all pairs, and C, the sum of price
/// times bandwidth over all links, and M / T <= N C / D. Some prices attain the least bound of all: those of
/// alltoall_bound(). Prices of 1 on the links that leave a set of ranks, and 0 elsewhere, give the bound of this cut.
/// Source: Shahrokhi, Matula, The maximum concurrent flow problem, 1990.
///
/// Failure: `bandwidth` is 0 and `error` set for a wrong network, fewer than two ranks, ranks that are not connected,
/// wrong prices, if all distances are 0, and if a sum exceeds 63 bits. Complexity: O(ranks (vertices^2 + links)).
/// @param net     the network
/// @param prices  per link, 0 to 2^32
inline network::flow_bound price_bound(const network& net, std::span<const std::int64_t> prices) {
    if (net.check()) return detail::failed_flow_bound(net.check());
    if (net.ranks() < 2) return detail::failed_flow_bound({"ranks", net.ranks(), "2 or more"});
    const detail::capacity_graph graph = detail::make_capacity_graph(net);
    if (const argument_error error = detail::check_prices(graph.graph.arcs(), prices))
        return detail::failed_flow_bound(error);
    return detail::bound_of_prices(graph, prices, [](rank_t, const detail::shortest_paths&) {});
}

}}}  // namespace collsched::COLLSCHED_ABI::topology
