#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "collsched/cost/lob.hpp"
#include "collsched/format/input_error.hpp"
#include "collsched/format/text.hpp"
#include "collsched/simulate/contention_model.hpp"
#include "collsched/topology/placement.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// The valid range of a number in a description. Converted numbers fit the (L, o, b) model.
struct rate_range {
    double least, most;
    std::string_view text;

    constexpr bool holds(double x) const { return x >= least && x <= most; }
};

inline constexpr rate_range range_us{0, 1e12, "0 to 1e12 us"};
inline constexpr rate_range range_MBps{1e-9, 2e9, "1e-9 to 2e9 MB/s"};

}  // namespace detail

/// A cluster as described by a file: the names of nodes and switches, their links and their costs. Nodes are numbered
/// in the order of the file. Rank r runs on node r unless a placement is given.
struct cluster {
    struct rank_hosts;  ///< the host of each rank; in read_hosts.hpp

    /// Values for what a cluster description omits. They do not override values of the description.
    struct defaults {
        std::optional<double> overhead_us{};            ///< overhead of a node, in microseconds
        std::optional<double> latency_us{},             ///< latency of the link of a node, in microseconds
            bandwidth_MBps{};                           ///< bandwidth of the link of a node, in 10^6 bytes per second
        std::optional<double> uplink_latency_us{},      ///< latency of the link from a switch to its parent
            uplink_bandwidth_MBps{};                    ///< bandwidth of the link from a switch to its parent
        std::optional<double> intra_node_latency_us{},  ///< latency between ranks of a node (see intra_node_links)
            intra_node_bandwidth_MBps{};                ///< bandwidth of a rank within its node
        std::optional<bool> intra_node_shared{};        ///< whether all ranks of a node share that bandwidth

        /// Returns the links within nodes that a description omits. Values that are missing here too are those of
        /// intra_node_links.
        intra_node_links intra_node() const {
            intra_node_links inside;
            if (intra_node_latency_us) inside.rank_link.latency_ps = ps_of_us(*intra_node_latency_us);
            if (intra_node_bandwidth_MBps) inside.rank_link.byte_fs = byte_fs_of(*intra_node_bandwidth_MBps);
            if (intra_node_shared) inside.shared = *intra_node_shared;
            return inside;
        }
        /// Throws an exception if a value is out of range.
        void check() const {
            check("overhead_us", overhead_us, detail::range_us);
            check("latency_us", latency_us, detail::range_us);
            check("uplink_latency_us", uplink_latency_us, detail::range_us);
            check("bandwidth_MBps", bandwidth_MBps, detail::range_MBps);
            check("uplink_bandwidth_MBps", uplink_bandwidth_MBps, detail::range_MBps);
            check("intra_node_latency_us", intra_node_latency_us, detail::range_us);
            check("intra_node_bandwidth_MBps", intra_node_bandwidth_MBps, detail::range_MBps);
        }

      private:
        static void check(std::string_view option, const std::optional<double>& value,
                          const detail::rate_range& range) {
            if (value && !range.holds(*value))
                throw input_error({.argument = std::string(option),
                                   .value = fmt::format("{}", *value),
                                   .expected = std::string(range.text)});
        }
    };
    /// The selected part of a Slurm description.
    struct part {
        std::string topology{};     ///< name of a topology in topology.yaml; empty: the default topology
        std::string switch_name{};  ///< switch whose subtree is read; empty: the root
    };

    std::string name;                ///< name of the cluster
    std::vector<std::string> names;  ///< names of the nodes, all different
    std::vector<std::string>
        switch_names;  ///< names of the inner vertices, numbered as in `cost.switches()`; may be empty
    lob_model cost;    ///< switches above the nodes, with the overheads, latencies and bandwidths of the nodes
    contention_model::network links{};  ///< links of the cluster; check() reports too many pairs

    /// Sets the links within nodes.
    /// @param nodes  one for all nodes, or one per node
    void set_intra_nodes(std::vector<intra_node_links> nodes) {
        if (std::equal(nodes.begin() + 1, nodes.end(), nodes.begin())) nodes.resize(1);
        cost = cost.with_intra_nodes(nodes);
    }
    /// Returns a model whose messages share the links of this cluster, with its overheads and links within nodes.
    /// @param model  other parameters
    /// @param where  node of each rank
    contention_model sharing(contention_model model, const topology::placement& where) const {
        model.net = links;
        model.placement = where;
        model.intra_nodes = cost.intra_nodes();
        model.overheads_ps = owned_array<picoseconds>(cost.ranks());
        for (rank_t c = 0; c < cost.ranks(); ++c) model.overheads_ps[c] = cost.overhead(c);
        return model;
    }
    /// Returns the number of the node of this name, or nothing if there is none. O(nodes).
    /// @param node  name of a node
    std::optional<rank_t> find(std::string_view node) const {
        const auto at = std::find(names.begin(), names.end(), node);
        return at == names.end() ? std::nullopt : std::optional<rank_t>(at - names.begin());
    }
};

namespace detail {

inline topology::placement listed_placement(std::string_view text, const cluster& c) {
    std::unordered_map<std::string_view, rank_t> nodes;
    for (std::size_t i = 0; i < c.names.size(); ++i) nodes.emplace(c.names[i], static_cast<rank_t>(i));
    std::vector<rank_t> node_of_rank;
    for (std::size_t begin = 0, end = 0; end != text.npos; begin = end + 1) {
        end = text.find(',', begin);
        const std::string_view node = text.substr(begin, end == text.npos ? end : end - begin);
        const auto found = nodes.find(node);
        if (found == nodes.end())
            throw input_error({.argument = fmt::format(FMT_COMPILE("placement[{}]"), node_of_rank.size()),
                               .value = json_text(node),
                               .expected = "block, cyclic, or names of nodes with commas between them"});
        node_of_rank.push_back(found->second);
    }
    return topology::placement::list(node_of_rank, c.cost.switches().nodes());
}

}  // namespace detail

/// Returns the placement of `ranks` ranks: "block", "cyclic", or one node name per rank ("A,B,B,A"). The words "block"
/// and "cyclic" take precedence over nodes of these names.
/// @param text   "block", "cyclic" or names of nodes with commas between them
/// @param c      cluster of the nodes
/// @param ranks  number of ranks
/// @return a placement without error. Failure: throws input_error.
inline topology::placement read_placement(std::string_view text, const cluster& c, rank_t ranks) {
    const rank_t nodes = c.cost.switches().nodes();
    topology::placement where = text == "block"    ? topology::placement::block(ranks, nodes)
                                : text == "cyclic" ? topology::placement::cyclic(ranks, nodes)
                                                   : detail::listed_placement(text, c);
    if (const argument_error error = where.check()) throw input_error(input_error::mistake::of(error));
    if (where.ranks() != ranks)
        throw input_error({.argument = "placement",
                           .value = fmt::format(FMT_COMPILE("{} nodes"), where.ranks()),
                           .expected = fmt::format(FMT_COMPILE("{}, one per rank"), ranks)});
    return where;
}

}}  // namespace collsched::COLLSCHED_ABI
