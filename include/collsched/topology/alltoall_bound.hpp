#pragma once

#include <cstdint>
#include <span>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/fraction.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/topology/detail/flow_program.hpp"
#include "collsched/topology/network.hpp"
#include "collsched/topology/price_bound.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace topology {

namespace detail {

/// Returns whole numbers in proportion to prices: small ones if there are, otherwise up to `largest`, rounded.
inline signed_vector<std::int64_t> whole_prices(std::span<const double> prices, std::int64_t largest) {
    double most = 0, least = 0;
    for (const double price : prices)
        if (most < price) most = price;
    const auto is_zero = [&](double price) { return price <= most * 1e-9; };
    for (const double price : prices)
        if (!is_zero(price) && (least <= 0 || price < least)) least = price;
    const auto rounded = [](double x) { return static_cast<std::int64_t>(x + 0.5); };
    const auto is_whole = [&](double x) {
        const double above = x - static_cast<double>(rounded(x));
        return above < 1e-8 && above > -1e-8;
    };
    double scale = static_cast<double>(largest) / most;
    for (int i = 1; i <= 720; ++i) {
        const double trial = i / least;
        if (trial > scale || trial * most > 1 << 20) break;
        bool fits = true;
        for (const double price : prices) fits = fits && (is_zero(price) || is_whole(price * trial));
        if (fits) scale = trial;
        if (fits) break;
    }
    signed_vector<std::int64_t> integers;
    for (const double price : prices) integers.push_back(is_zero(price) ? 0 : rounded(price * scale));
    return integers;
}

/// Searches prices and flows until they meet. Each round adds the shortest paths by the prices of the last round to a
/// linear program, whose dual prices are the next ones. The bound of each round is exact, whatever the program returns.
class alltoall_search {
  public:
    /// @param net     the links
    /// @param prices  per link, those of the first round
    /// @param first   their bound
    alltoall_search(const capacity_graph& net, const signed_vector<double>& prices, const fraction& first)
        : net_(net),
          pairs_(static_cast<double>(net.unit) * static_cast<double>(net.ranks)),
          program_(net, first.value() / pairs_),
          prices_(prices) {}

    /// @param largest  a price for which all sums of bandwidths are below 2^63
    network::flow_bound run(std::int64_t largest) {
        for (int round = 0, since = 0; round < most_rounds && since < most_equal_rounds; ++round, ++since) {
            const network::flow_bound before = best_;
            add_paths(whole_prices(prices_, largest));
            if (!program_.solve()) break;
            const double found = program_.attained() * pairs_;
            if (best_.attained < found) best_.attained = found;
            if (best_.gap() < 1e-9) break;
            if (best_.bandwidth < before.bandwidth || before.attained < best_.attained) since = 0;
            for (std::int64_t i = 0; i < prices_.length(); ++i) prices_[i] = program_.price(i);
        }
        return static_cast<network::flow_bound&&>(best_);
    }

  private:
    static constexpr int most_rounds = 1000, most_equal_rounds = 20;

    /// Adds the shortest paths by the prices, and keeps the prices if their bound is the least one. No bound follows
    /// from prices if all distances are 0.
    void add_paths(const signed_vector<std::int64_t>& prices) {
        network::flow_bound found = bound_of_prices(
            net_, prices, [&](rank_t source, const shortest_paths& paths) { program_.add(source, paths, prices); });
        if (found.error || (!best_.prices.empty() && !(found.bandwidth < best_.bandwidth))) return;
        best_.bandwidth = found.bandwidth;
        best_.prices = static_cast<owned_array<std::int64_t>&&>(found.prices);
    }

    const capacity_graph& net_;
    double pairs_;  // bandwidth of flows of 1 unit
    flow_program program_;
    signed_vector<double> prices_;
    network::flow_bound best_;
};

/// Returns the bound of a network with links.
inline network::flow_bound bound_of_flows(const capacity_graph& net) {
    constexpr std::int64_t most = std::int64_t{1} << 62, fine = std::int64_t{1} << 30;
    checked sum = 0;
    signed_vector<double> prices;
    for (std::int64_t i = 0; i < net.graph.arcs(); ++i) {
        sum = sum + net.graph[i].capacity;
        prices.push_back(1 / static_cast<double>(net.graph[i].capacity));
    }
    if (!sum.ok() || sum.value() > most / 4)
        return failed_flow_bound({"bandwidth", net.unit, "bandwidths whose sum, divided by this one, is at most 2^60"});
    const std::int64_t largest = most / sum.value() < fine ? most / sum.value() : fine;
    const auto bound_of = [&] {
        return bound_of_prices(net, whole_prices(prices, largest), [](rank_t, const shortest_paths&) {});
    };
    network::flow_bound first = bound_of();
    if (first.error) {  // if the prices of the fastest links are rounded to 0, all distances may be 0
        prices.assign(prices.size(), 1);
        first = bound_of();
    }
    if (first.error) return failed_flow_bound(first.error);
    return alltoall_search(net, prices, first.bandwidth).run(largest);
}

}  // namespace detail

/// Returns an upper bound of the algorithmic bandwidth M / T of an alltoall. M is the size in bytes of the input of a
/// rank: N blocks, of which it sends N-1 and keeps its own. Latency is not counted.
///
/// The bound is N f with f, the largest flow in bytes per second that all ordered pairs of ranks can have at once: a
/// schedule of time T moves M / (N T) bytes per second between each pair. The flows and the prices are found with GLPK
/// in floating-point numbers. The bound does not depend on their errors, since price_bound() proves it from the prices
/// alone, in whole numbers. `attained` is what the flows reach: the least bound is between the two.
///
/// Needs GLPK (Debian: libglpk-dev; link -lglpk). GLPK ends the program if memory is exhausted.
///
/// Failure: `bandwidth` is 0 and `error` set for a wrong network, fewer than two ranks, ranks that are not connected,
/// ranks * links above 2^19, and capacities, divided by their greatest common divisor, with a sum above 2^60.
/// Complexity: O(ranks (vertices^2 + links)) and a linear program of ranks + links rows per round; at most 1000 rounds.
/// Source: Shahrokhi, Matula, The maximum concurrent flow problem, 1990.
/// @param net  the network
inline network::flow_bound alltoall_bound(const network& net) {
    if (net.check()) return detail::failed_flow_bound(net.check());
    if (net.ranks() < 2) return detail::failed_flow_bound({"ranks", net.ranks(), "2 or more"});
    const auto links = static_cast<std::int64_t>(net.links().size());
    if (links > (std::int64_t{1} << 19) / net.ranks())
        return detail::failed_flow_bound({"links", links, "at most 2^19 divided by the number of ranks"});
    if (links < 1) return detail::failed_flow_bound({"vertex", 1, "a rank that all ranks reach"});
    return detail::bound_of_flows(detail::make_capacity_graph(net));
}

}}}  // namespace collsched::COLLSCHED_ABI::topology
