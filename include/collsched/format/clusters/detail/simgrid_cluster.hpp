#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collsched/cost/lob.hpp"
#include "collsched/format/clusters/cluster.hpp"
#include "collsched/format/clusters/detail/simgrid_platform.hpp"
#include "collsched/format/clusters/detail/simgrid_zones.hpp"
#include "collsched/format/files/text_file.hpp"
#include "collsched/format/text.hpp"
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

/// Returns the cost of two consecutive parts of a path: the sum of the latencies, at most 2^61 ps, and the smaller
/// bandwidth.
constexpr lob_model::link_cost in_series(lob_model::link_cost a, lob_model::link_cost b) {
    constexpr picoseconds most = picoseconds{1} << 61;
    const picoseconds sum = a.latency_ps + b.latency_ps;
    return {sum < most ? sum : most, a.byte_fs < b.byte_fs ? b.byte_fs : a.byte_fs};
}

/// The costs of the routes of a SimGrid platform. Routes between zones are composed of routes to and from gateways,
/// each of which is evaluated once. O(levels) for a route of any length whose parts have been evaluated.
class simgrid_ways {
  public:
    explicit simgrid_ways(const simgrid_platform& platform) : platform_(platform) {}

    /// Returns the cost of all links from p to q together. Throws input_error if there is no route, or if it has more
    /// than 1024 links or one with a fault.
    lob_model::link_cost way(rank_t p, rank_t q) {
        if (p == q) return {};
        const part all = measure(p, q);
        if (all.links > most)
            platform_.file.refuse(
                platform_.zone_at(platform_.point_at(p).zone).line,
                fmt::format("{} links from {} to {}", all.links, json_text(platform_.point_at(p).name),
                            json_text(platform_.point_at(q).name)),
                fmt::format("at most {}", most));
        return all.cost;
    }

  private:
    static constexpr std::int64_t most = 1024, beyond = std::int64_t{1} << 40;

    struct part {
        lob_model::link_cost cost;
        std::int64_t links = 0;
    };

    void add(part& all, const part& more) const {
        all.cost = in_series(all.cost, more.cost);
        all.links = std::min(all.links + more.links, beyond);
    }
    part measure(rank_t p, rank_t q) {
        part all;
        platform_.compose(
            p, q,
            [&](std::span<const std::int32_t> links) {
                for (const std::int32_t i : links) add(all, {platform_.usable_link(i).cost, 1});
            },
            [&](rank_t a, rank_t b) { add(all, look_up(a, b)); });
        return all;
    }
    /// Returns the cost of a part. Routes within a zone are computed as fast as they could be looked up, unless its
    /// routing uses a graph.
    part look_up(rank_t p, rank_t q) {
        const rank_t z = platform_.point_at(p).zone;
        if (z == platform_.point_at(q).zone && !platform_.zone_at(z).graph) return measure(p, q);
        const std::uint64_t key = simgrid_platform::pair_key(p, q);
        if (const auto found = measured_.find(key); found != measured_.end()) return found->second;
        const part measured = measure(p, q);
        return measured_.emplace(key, measured).first->second;
    }

    const simgrid_platform& platform_;
    std::unordered_map<std::uint64_t, part> measured_;  ///< to and from gateways
};

/// Assigns the costs of the platform's routes to hosts and switches.
class simgrid_costs {
  public:
    simgrid_costs(const text_file& file, simgrid_zones& zones) : file_(file), zones_(zones), ways_(zones.platform) {}

    cluster read() {
        cluster_builder& builder = zones_.builder;
        const std::string& name = zones_.platform.zones.front().id;
        std::vector<rank_t> kinds, homes;  // one host of each kind
        std::vector<std::size_t> kind(zones_.like.size());
        for (rank_t c = 0; c < builder.nodes(); ++c) {
            if (zones_.like[at(c)] != c) continue;
            kind[at(c)] = kinds.size();
            kinds.push_back(c);
            homes.push_back(builder.home(c));
        }
        limit(static_cast<rank_t>(kinds.size()));
        std::vector<lob_model::link_cost> ways = ways_between(kinds);
        const fitted_links fitted = fit_links(
            topology::switch_tree(builder.parents(), homes),
            [&](rank_t i, rank_t j) -> const lob_model::link_cost& { return ways[at(i) * kinds.size() + at(j)]; });
        if (!fitted.exact) return with_matrices(name, std::move(ways));
        for (rank_t c = 0; c < builder.nodes(); ++c) {
            const rank_t model = zones_.like[at(c)];
            builder.node_link(c) = fitted.node_links[kind[at(model)]];
            rank_t from = builder.home(model);
            for (rank_t e = builder.home(c); e >= 0; e = builder.parent(e), from = builder.parent(from))
                builder.uplink(e) = fitted.uplinks[at(from)];
        }
        return builder.build(name);
    }

  private:
    static constexpr rank_t most = 4096;
    static std::size_t at(rank_t i) { return static_cast<std::size_t>(i); }

    void limit(rank_t hosts) const {
        if (hosts > most)
            file_.refuse(zones_.platform.zones.front().line,
                         fmt::format("routes between {} hosts, which are not alike or make no tree", hosts),
                         fmt::format("at most {}", most));
    }
    lob_model::link_cost way(rank_t a, rank_t b) {
        const simgrid_platform& platform = zones_.platform;
        const rank_t p = zones_.point_of[at(a)], q = zones_.point_of[at(b)];
        const lob_model::link_cost found = ways_.way(p, q);
        if (a != b && found.byte_fs == 0)
            file_.refuse(platform.zone_at(platform.point_at(p).zone).line,
                         fmt::format("no link from {} to {}", json_text(platform.point_at(p).name),
                                     json_text(platform.point_at(q).name)),
                         "one or more on every route");
        return found;
    }
    std::vector<lob_model::link_cost> ways_between(const std::vector<rank_t>& hosts) {
        std::vector<lob_model::link_cost> ways;
        ways.reserve(hosts.size() * hosts.size());
        for (const rank_t a : hosts)
            for (const rank_t b : hosts) ways.push_back(way(a, b));
        return ways;
    }
    /// @param ways costs between the representatives of all kinds of hosts
    cluster with_matrices(const std::string& name, std::vector<lob_model::link_cost> ways) {
        const rank_t n = zones_.builder.nodes();
        limit(n);
        if (ways.size() != at(n) * at(n)) {
            std::vector<rank_t> all(at(n));
            std::iota(all.begin(), all.end(), rank_t{0});
            ways = ways_between(all);
        }
        std::vector<picoseconds> latencies(ways.size());
        std::vector<std::int64_t> byte_fs(ways.size());
        for (std::size_t i = 0; i < ways.size(); ++i) {
            latencies[i] = ways[i].latency_ps;
            byte_fs[i] = ways[i].byte_fs;
        }
        return zones_.builder.build(name, latencies, byte_fs);
    }

    const text_file& file_;
    simgrid_zones& zones_;
    simgrid_ways ways_;
};

/// Returns the links within each host: its loopback, if the platform gives it one whose bandwidth is in the range of
/// cluster files.
/// @param missing  the links within other hosts
inline std::vector<intra_node_links> simgrid_loopbacks(const simgrid_zones& zones, const intra_node_links& missing) {
    const simgrid_platform& platform = zones.platform;
    std::vector<intra_node_links> nodes(zones.point_of.size(), missing);
    for (std::size_t c = 0; c < nodes.size(); ++c) {
        intra_node_links loopback{.rank_link = {}};
        bool has_fault = false;
        const bool has_loopback =
            platform.compose_given_loopback(zones.point_of[c], [&](std::span<const std::int32_t> links) {
                for (const std::int32_t i : links) {
                    const contention_model::network::link& link = platform.links[static_cast<std::size_t>(i)];
                    has_fault = has_fault || link.cost.byte_fs < 0;
                    loopback.shared = loopback.shared || link.shared;
                    loopback.rank_link = in_series(loopback.rank_link, link.cost);
                }
            });
        if (has_loopback && !has_fault) nodes[c] = loopback;
    }
    return nodes;
}

/// Reads a SimGrid platform, version 4 or 4.1, with clusters of all topologies and zones of all routings except Wifi.
/// docs/clusters.md lists the supported elements. L(i,j) and b(i,j) are the sum of the latencies and the minimum of the
/// bandwidths over SimGrid's route. They are represented by links of the tree of zones if such links exist, else by
/// matrices. SimGrid has no software overhead: overhead_us of the defaults applies, or 0. Loopbacks are the links within
/// nodes; hosts without loopback have those of the defaults. Other defaults are not used.
/// The links are those of the platform. Throws input_error. O(hosts) if the hosts of clusters are identical and form a
/// tree, else O(hosts^2 links of a route) for at most 4096 hosts. Each zone with routing Floyd or Dijkstra takes
/// O(vertices routes log(vertices)).
/// Source: SimGrid's reference of platform files. A test compares the routes with SimGrid's.
inline cluster read_simgrid_cluster(const text_file& file, const cluster::defaults& defaults = {}) {
    defaults.check();
    const auto text = std::make_shared<const text_file>(file);
    simgrid_zones zones(*text, ps_of_us(defaults.overhead_us.value_or(0)));
    cluster c = detail::simgrid_costs(*text, zones).read();
    c.set_intra_nodes(detail::simgrid_loopbacks(zones, defaults.intra_node()));
    zones.platform.bandwidths = {};
    zones.platform.forget_faults();
    const auto platform = std::make_shared<const simgrid_platform>(std::move(zones.platform));
    c.links = contention_model::network(
        c.cost.switches().nodes(), platform->links,
        [text, platform, points = std::move(zones.point_of)](rank_t from, rank_t to, link_route& found) {
            platform->find_route(points[static_cast<std::size_t>(from)], points[static_cast<std::size_t>(to)], found);
        });
    return c;
}

}}}  // namespace collsched::COLLSCHED_ABI::detail
