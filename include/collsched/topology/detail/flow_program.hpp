#pragma once

#include <glpk.h>

#include <cstdint>
#include <span>

#include "collsched/core/rank.hpp"
#include "collsched/topology/detail/cut_ratio.hpp"
#include "collsched/topology/detail/shortest_paths.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace topology { namespace detail {

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

}}}}  // namespace collsched::COLLSCHED_ABI::topology::detail
