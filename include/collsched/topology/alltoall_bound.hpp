#pragma once

#include <cstdint>
#include <glpk.h>
#include <span>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/fraction.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/topology/detail/cut_ratio.hpp"
#include "collsched/topology/network.hpp"
#include "collsched/topology/price_bound.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace topology {

namespace detail {

/// The linear program of concurrent flows: each rank mixes its columns, each of which sends one unit to every other
/// rank, so that all ranks send f units to each other, and f is the largest. Capacities are divided by an upper bound of
/// f, so that numbers are neither small nor large.
///
/// Rows: first a row per link, loads of at most its bandwidth, then a row per rank, columns with a sum of f or more.
/// Columns: first f. Source of the decomposition: Dantzig, Wolfe 1960.
class flow_program {
  public:
    /// @param unit  an upper bound of f, in units of capacities
    flow_program(const capacity_graph& net, double unit) : net_(net), problem_(glp_create_prob()) {
        glp_set_obj_dir(problem_, GLP_MAX);
        glp_add_rows(problem_, row(links() + net.ranks) - 1);
        glp_add_cols(problem_, 1);
        glp_set_obj_coef(problem_, 1, 1);
        glp_set_col_bnds(problem_, 1, GLP_LO, 0, 0);
        for (std::int64_t i = 0; i < links(); ++i) glp_set_row_bnds(problem_, row(i), GLP_UP, 0, limit(i, unit));
        index_.assign(1, 0), value_.assign(1, 0);  // element 0 is not used
        for (rank_t r = 0; r < net.ranks; ++r) {
            glp_set_row_bnds(problem_, row(links() + r), GLP_LO, 0, 0);
            index_.push_back(row(links() + r)), value_.push_back(-1);
        }
        glp_set_mat_col(problem_, 1, static_cast<int>(net.ranks), index_.data(), value_.data());
        glp_std_basis(problem_);
    }
    ~flow_program() { glp_delete_prob(problem_); }
    flow_program(const flow_program&) = delete;
    flow_program& operator=(const flow_program&) = delete;

    /// Adds a column of `source`: one unit to every rank along shortest paths, split in proportion to bandwidths.
    void add(rank_t source, const shortest_paths& paths, std::span<const std::int64_t> prices) {
        demand_.assign(static_cast<std::size_t>(net_.graph.vertices()), 0);
        for (rank_t r = 0; r < net_.ranks; ++r) demand_[r] = 1;
        index_.assign(1, 0), value_.assign(1, 0);
        const std::span<const rank_t> order = paths.order();
        for (std::size_t i = order.size(); i-- > 1;) split(order[i], paths, prices);
        index_.push_back(row(links() + source)), value_.push_back(1);
        sources_.push_back(source);
        const int added = glp_add_cols(problem_, 1);
        glp_set_col_bnds(problem_, added, GLP_LO, 0, 0);
        glp_set_mat_col(problem_, added, static_cast<int>(index_.length() - 1), index_.data(), value_.data());
    }

    /// Solves the program, from the last solution on. Returns false if GLPK stops before the optimum.
    bool solve() {
        glp_smcp parameters;
        glp_init_smcp(&parameters);
        parameters.msg_lev = GLP_MSG_OFF;
        parameters.tol_bnd = parameters.tol_dj = 1e-10;
        return glp_simplex(problem_, &parameters) == 0 && glp_get_status(problem_) == GLP_OPT;
    }
    /// Returns the dual price of a link in the last solution.
    double price(std::int64_t link) const { return glp_get_row_dual(problem_, row(link)); }
    /// Returns what the columns of the last solution send between each pair of ranks, in units of capacities. Weights of
    /// each rank are scaled to a sum of 1, and their loads computed anew: errors of the solver do not count.
    double attained() {
        signed_vector<double> sum(static_cast<std::size_t>(net_.ranks), 0);
        signed_vector<double> load(static_cast<std::size_t>(links()), 0);
        for (std::int64_t c = 0; c < sources_.length(); ++c) sum[sources_[c]] += weight(c);
        for (const double all : sum)
            if (all <= 0) return 0;
        for (std::int64_t c = 0; c < sources_.length(); ++c)
            if (weight(c) > 0) add_load(load, c, weight(c) / sum[sources_[c]]);
        double least = 0;
        for (std::int64_t i = 0; i < links(); ++i) {
            if (load[i] <= 0) continue;
            const double part = static_cast<double>(net_.graph[i].capacity) / load[i];
            if (least <= 0 || part < least) least = part;
        }
        return least;
    }

  private:
    std::int64_t links() const { return net_.graph.arcs(); }
    /// Returns the capacity of a link in units, at most twice the load of all pairs together.
    double limit(std::int64_t link, double unit) const {
        const auto ranks = static_cast<double>(net_.ranks);
        const double capacity = static_cast<double>(net_.graph[link].capacity) / unit;
        return capacity < 2 * ranks * ranks ? capacity : 2 * ranks * ranks;
    }
    static int row(std::int64_t index) { return static_cast<int>(index + 1); }
    static int column(std::int64_t index) { return static_cast<int>(index + 2); }
    double weight(std::int64_t c) const {
        const double found = glp_get_col_prim(problem_, column(c));
        return found > 0 ? found : 0;
    }
    void add_load(signed_vector<double>& load, std::int64_t c, double part) {
        index_.resize(static_cast<std::size_t>(links() + 2)), value_.resize(index_.size());
        const int count = glp_get_mat_col(problem_, column(c), index_.data(), value_.data());
        for (int i = 1; i <= count; ++i)
            if (index_[i] <= links()) load[index_[i] - 1] += part * value_[i];
    }

    /// Sends what v needs, for itself and for vertices behind it, over the links of shortest paths into it.
    void split(rank_t v, const shortest_paths& paths, std::span<const std::int64_t> prices) {
        if (demand_[v] <= 0) return;
        const auto is_used = [&](const flow_graph::half_arc& half) {
            return !half.forward && paths.is_tight(half.other, v, prices[static_cast<std::size_t>(half.arc)]);
        };
        double all = 0;
        for (const flow_graph::half_arc& half : net_.graph.incident(v))
            if (is_used(half)) all += static_cast<double>(net_.graph[half.arc].capacity);
        for (const flow_graph::half_arc& half : net_.graph.incident(v)) {
            if (!is_used(half)) continue;
            const double part = demand_[v] * static_cast<double>(net_.graph[half.arc].capacity) / all;
            demand_[half.other] += part;
            index_.push_back(row(half.arc)), value_.push_back(part);
        }
    }

    const capacity_graph& net_;
    glp_prob* problem_;
    signed_vector<rank_t> sources_;  // per column after the first one
    signed_vector<double> demand_;
    signed_vector<int> index_;     // of a column: element 0 is not used
    signed_vector<double> value_;  // the same
};

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
