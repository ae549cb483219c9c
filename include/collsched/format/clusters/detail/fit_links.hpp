#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "collsched/cost/lob.hpp"
#include "collsched/topology/switch_tree.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The link costs of a tree: per node, and per switch for the link to its parent.
struct fitted_links {
    std::vector<lob_model::link_cost> node_links, uplinks;
    bool exact = false;  ///< whether the tree with these links has exactly the given path costs
};

/// Computes latencies from triples of nodes. The paths between nodes i, j and k in three branches meet at one point,
/// whose latency from i is (L(i,j) + L(i,k) - L(j,k)) / 2. The bandwidth of a link is the largest bandwidth of all
/// paths over it. If the tree with these links does not reproduce the paths, no link costs do.
template <class Way>
class link_fitter {
  public:
    link_fitter(const topology::switch_tree& tree, Way way)
        : tree_(tree),
          way_(way),
          branches_(static_cast<std::size_t>(tree.switches())),
          height_(branches_.size()),
          links_{std::vector<lob_model::link_cost>(static_cast<std::size_t>(tree.nodes())),
                 std::vector<lob_model::link_cost>(branches_.size())} {}

    fitted_links fit() {
        for (rank_t c = 0; c < tree_.nodes(); ++c) branches_[at(tree_.home(c))].push_back({c, -1});
        for (rank_t e = tree_.switches() - 1; e >= 0; --e) {
            if (tree_.population(e) == 0) continue;
            fit_latencies(e);
            if (e > 0) branches_[at(tree_.parent(e))].push_back({branches_[at(e)].front().node, e});
        }
        fit_rates();
        links_.exact = is_exact();
        return std::move(links_);
    }

  private:
    struct branch {
        rank_t node;    ///< a node in the branch
        rank_t vertex;  ///< inner vertex, or -1 if the branch is the node itself
    };
    static std::size_t at(rank_t i) { return static_cast<std::size_t>(i); }

    picoseconds latency(rank_t i, rank_t j) const { return way_(i, j).latency_ps; }
    /// Returns the latency from the branch's node to the end of the branch.
    picoseconds inner(const branch& b) const { return b.vertex < 0 ? 0 : height_[at(b.vertex)]; }
    lob_model::link_cost& link(const branch& b) {
        return b.vertex < 0 ? links_.node_links[at(b.node)] : links_.uplinks[at(b.vertex)];
    }

    void fit_latencies(rank_t e) {
        const std::vector<branch>& branches = branches_[at(e)];
        std::vector<rank_t> points;
        for (const branch& b : branches)
            if (points.size() < 3) points.push_back(b.node);
        const bool inside_only = tree_.population(e) == tree_.nodes();
        if (points.size() < 3 && !inside_only) points.push_back(outside(e));
        if (points.size() >= 3) {
            for (const branch& b : branches) link(b).latency_ps = latency_to_fork(b.node, points) - inner(b);
        } else if (branches.size() == 2) {
            const branch &a = branches[0], &b = branches[1];
            const picoseconds remainder = latency(a.node, b.node) - inner(a) - inner(b);
            link(a).latency_ps = remainder / 2;
            link(b).latency_ps = remainder - remainder / 2;
        }
        height_[at(e)] = inner(branches[0]) + link(branches[0]).latency_ps;
    }
    rank_t outside(rank_t e) const {
        rank_t c = 0;
        while (tree_.common_ancestor(tree_.home(c), e) == e) ++c;
        return c;
    }
    /// Returns the latency from node i to the point where its paths to two of `points` separate. The points are in
    /// different branches; i may be in one of them.
    picoseconds latency_to_fork(rank_t i, const std::vector<rank_t>& points) const {
        const rank_t j = points[0] == i ? points[2] : points[0], k = points[1] == i ? points[2] : points[1];
        return (latency(i, j) + latency(i, k) - latency(j, k)) / 2;
    }

    void fit_rates() {
        const auto narrow = [](lob_model::link_cost& l, std::int64_t byte_fs) {
            if (l.byte_fs == 0 || byte_fs < l.byte_fs) l.byte_fs = byte_fs;
        };
        for (rank_t i = 0; i < tree_.nodes(); ++i) {
            for (rank_t j = 0; j < tree_.nodes(); ++j) {
                if (i == j) continue;
                const std::int64_t byte_fs = way_(i, j).byte_fs;
                const rank_t top = tree_.common_switch(i, j);
                for (const rank_t c : {i, j}) {
                    narrow(links_.node_links[at(c)], byte_fs);
                    for (rank_t e = tree_.home(c); e != top; e = tree_.parent(e))
                        narrow(links_.uplinks[at(e)], byte_fs);
                }
            }
        }
    }

    bool is_exact() const {
        const std::vector<picoseconds> overheads(links_.node_links.size());
        const lob_model model(tree_, overheads, links_.node_links, links_.uplinks);
        if (model.check()) return false;
        for (rank_t i = 0; i < tree_.nodes(); ++i)
            for (rank_t j = 0; j < tree_.nodes(); ++j)
                if (i != j && !(lob_model::link_cost{model.latency(i, j), model.byte_fs(i, j)} == way_(i, j)))
                    return false;
        return true;
    }

    const topology::switch_tree& tree_;
    Way way_;
    std::vector<std::vector<branch>> branches_;
    std::vector<picoseconds> height_;  ///< per switch: latency to the node of its first branch
    fitted_links links_;
};

/// Returns link costs for which L(i,j) and b(i,j) of every two nodes equal way(i, j), a lob_model::link_cost with a
/// bandwidth. The result is exact if such costs exist and latencies are whole picoseconds. O(nodes^2 levels).
/// @pre latencies are below 2^61 ps
template <class Way>
fitted_links fit_links(const topology::switch_tree& tree, Way way) {
    return detail::link_fitter<Way>(tree, way).fit();
}

}}}  // namespace collsched::COLLSCHED_ABI::detail
