#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "collsched/format/clusters/cluster.hpp"
#include "collsched/format/clusters/detail/cluster_builder.hpp"
#include "collsched/format/clusters/detail/conf_records.hpp"
#include "collsched/format/clusters/detail/ibnetdiscover.hpp"
#include "collsched/format/clusters/detail/simgrid_cluster.hpp"
#include "collsched/format/clusters/detail/slurm_cluster.hpp"
#include "collsched/format/clusters/detail/slurm_switches.hpp"
#include "collsched/format/clusters/detail/slurm_yaml_cluster.hpp"
#include "collsched/format/clusters/read_json_cluster.hpp"
#include "collsched/format/clusters/read_network.hpp"
#include "collsched/format/files/text_file.hpp"
#include "collsched/simulate/link_queue_model.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// The cluster of a network. Its ranks are the nodes. Nodes whose first links lead to one switch are below that switch,
/// and all switches are below a root with the name of the file. A message takes a shortest path over the links of the
/// network: by number of links, and through other nodes only if there is no path through switches. L(i,j) is the sum of
/// its latencies, and b(i,j) its least bandwidth.
class network_cluster {
  public:
    /// @param net  names of all vertices are different
    network_cluster(const text_file& file, const topology::network& net)
        : file_(file), net_(net), builder_(file), paths_(net) {
        for (const topology::network::link& link : net.links())
            links_.push_back({{link.latency, (whole_fs + link.bandwidth / 2) / link.bandwidth}});
    }

    /// Returns the cluster. The overhead of nodes is that of the defaults, or 0; of the others those within nodes are used. Throws
    /// input_error for more than 2048 ranks, and for ranks without a path. O(ranks * links + links of all paths).
    cluster read(const cluster::defaults& defaults) {
        defaults.check();
        constexpr rank_t most = 2048;
        const rank_t p = net_.ranks();
        if (p > most) file_.refuse(1, fmt::format("{} ranks", p), "at most 2048 of a network with routes between all");
        const std::string name = std::filesystem::path(file_.name).stem().string();
        add_nodes(name, ps_of_us(defaults.overhead_us.value_or(0)));
        std::vector<picoseconds> latencies;
        std::vector<std::int64_t> byte_fs;
        std::vector<std::size_t> ends{0};
        link_route routes;
        const contention_model::network costs(p, links_, {});
        for (rank_t a = 0; a < p; ++a)
            for (rank_t b = 0; b < p; ++b) {
                add_route(a, b, routes);
                const lob_model::link_cost cost = costs.cost(std::span(routes).subspan(ends.back()));
                latencies.push_back(cost.latency_ps);
                byte_fs.push_back(cost.byte_fs);
                ends.push_back(routes.size());
            }
        cluster result = builder_.build(name, latencies, byte_fs);
        result.set_intra_nodes({defaults.intra_node()});
        result.links = listed_network(p, std::move(links_), std::move(routes), std::move(ends));
        return result;
    }

  private:
    static constexpr std::int64_t whole_fs = 1'000'000'000'000'000;  ///< femtoseconds per second

    void add_nodes(const std::string& name, picoseconds overhead) {
        const rank_t root = builder_.add_switch(name, -1, {}, 1);
        std::vector<rank_t> homes(static_cast<std::size_t>(net_.ranks()), root);
        std::unordered_map<rank_t, rank_t> number;
        for (auto link = net_.links().rbegin(); link != net_.links().rend(); ++link)
            if (!net_.is_switch(link->from) && net_.is_switch(link->to))
                homes[static_cast<std::size_t>(link->from)] = link->to;
        for (rank_t r = 0; r < net_.ranks(); ++r) {
            const rank_t home = homes[static_cast<std::size_t>(r)];
            if (home != root && !number.contains(home))
                number[home] = builder_.add_switch(net_.name(home), root, {}, 1);
            builder_.add_node(net_.name(r), home == root ? root : number[home], overhead, {}, 1);
        }
    }
    /// Appends the links of a path. Parallel links are taken in turns, by the sum of both ranks.
    void add_route(rank_t a, rank_t b, link_route& routes) {
        if (a == b) return;
        path_.clear();
        paths_.append_shortest(a, b, path_);
        if (path_.empty())
            file_.refuse(1, fmt::format("no path from {} to {}", json_text(net_.name(a)), json_text(net_.name(b))),
                         "links that join all ranks");
        for (std::size_t i = 1; i < path_.size(); ++i) {
            parallel_.clear();
            paths_.for_each_link(path_[i - 1], path_[i], [&](std::int32_t link) { parallel_.push_back(link); });
            routes.push_back(parallel_[static_cast<std::size_t>(a + b) % parallel_.size()]);
        }
    }
    /// Returns a network whose routes are listed: that from a to b ends at ends[a * nodes + b + 1].
    static contention_model::network listed_network(rank_t nodes, std::vector<contention_model::network::link> links,
                                                    link_route routes, std::vector<std::size_t> ends) {
        struct table {
            link_route routes;
            std::vector<std::size_t> ends;
        };
        const auto listed = std::make_shared<const table>(table{std::move(routes), std::move(ends)});
        return {nodes, std::move(links), [nodes, listed](rank_t from, rank_t to, link_route& route) {
                    const std::size_t* const end = &listed->ends[static_cast<std::size_t>(from * nodes + to)];
                    const std::int32_t* const first = listed->routes.data();
                    route.insert(route.end(), first + end[0], first + end[1]);
                }};
    }

    const text_file& file_;
    const topology::network& net_;
    cluster_builder builder_;
    network_paths paths_;
    std::vector<contention_model::network::link> links_;
    std::vector<rank_t> path_;
    std::vector<std::int32_t> parallel_;
};

inline constexpr std::string_view cluster_formats =
    "a cluster or network in JSON, a SimGrid platform, output of ibnetdiscover, a Slurm topology.conf or topology.yaml";

/// Reads a cluster in JSON, or the cluster of a network in JSON: an object with the key `ranks`, and without `nodes`.
inline cluster cluster_of_json(const text_file& file, const cluster::defaults& defaults) {
    const json_value top = parse_json(file);
    const bool is_network =
        top.as<json_value::object>() != nullptr && !is_cluster(top) && json_reader::find(top, "ranks") != nullptr;
    if (is_network) return network_cluster(file, read_network(file)).read(defaults);
    return json_cluster_reader(file, top).read(defaults);
}

/// Rejects a part for files other than those of Slurm, which describe one cluster.
inline void refuse_parts(const cluster::part& part) {
    const std::pair<std::string_view, const std::string&> options[] = {{"topology", part.topology},
                                                                       {"switch_name", part.switch_name}};
    for (const auto& [option, value] : options)
        if (!value.empty())
            throw input_error({std::string(option), json_text(value), "none without a topology of Slurm"});
}

[[noreturn]] inline void refuse_unknown_format(const text_file& file) {
    int line = 1;
    std::string_view unread = file.text, content = trimmed(take_line(unread));
    for (; text_format_of(content) == text_file::format::empty; ++line) content = trimmed(take_line(unread));
    file.refuse(line, json_text(content.substr(0, std::min<std::size_t>(content.find_first_of(" \t\r"), 100))),
                cluster_formats);
}

}  // namespace detail

/// Reads a cluster from a text. A text that begins with { or [ is JSON, of a cluster or of a network, and one that begins
/// with < is a SimGrid platform. Other texts are output of ibnetdiscover, or a Slurm topology.yaml or topology.conf,
/// distinguished by the first line that is not a comment. Ranks of a network are nodes, and messages take its shortest
/// paths. Throws input_error.
/// @param file      the text
/// @param defaults  values for links and nodes whose cost the text omits
/// @param part      the selected part of a Slurm description
/// @return the cluster
inline cluster read_cluster(const text_file& file, const cluster::defaults& defaults = {},
                            const cluster::part& part = {}) {
    if (const char* const other = rules_format(file.text))
        file.refuse(1, fmt::format("this looks like {}", other), detail::cluster_formats);
    const text_file::format format = text_format_of(file.text);
    const bool is_marked = format == text_file::format::json || format == text_file::format::xml;
    const bool is_fabric = !is_marked && detail::is_ibnetdiscover(file.text);
    if (is_marked || is_fabric) detail::refuse_parts(part);
    if (is_fabric) {
        const picoseconds latency = ps_of_us(defaults.latency_us.value_or(0));
        return detail::network_cluster(file, read_network(file, latency)).read(defaults);
    }
    switch (format) {
        case text_file::format::json: return detail::cluster_of_json(file, defaults);
        case text_file::format::xml: return detail::read_simgrid_cluster(file, defaults);
        case text_file::format::yaml: return detail::read_slurm_yaml_cluster(file, defaults, part);
        case text_file::format::slurm_conf: return detail::read_slurm_cluster(file, defaults, part);
        case text_file::format::empty: file.refuse(1, "nothing in it", detail::cluster_formats);
        case text_file::format::unknown: break;
    }
    detail::refuse_unknown_format(file);
}
/// Reads a cluster from a file. A topology.conf may include other files.
/// @param path      path of the file
/// @param defaults  values for links and nodes whose cost the file omits
/// @param part      the selected part of a Slurm description
/// @return the cluster. Failure: throws input_error.
inline cluster read_cluster(const std::filesystem::path& path, const cluster::defaults& defaults = {},
                            const cluster::part& part = {}) {
    text_file file = read_text_file(path);
    if (text_format_of(file.text) == text_file::format::slurm_conf)
        file = detail::join_included_files(std::move(file), path);
    return read_cluster(file, defaults, part);
}

}}  // namespace collsched::COLLSCHED_ABI
