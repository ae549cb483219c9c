#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "collsched/format/clusters/detail/cluster_builder.hpp"
#include "collsched/format/files/json_reader.hpp"
#include "collsched/topology/network.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// Reads a cluster in JSON: nodes and a tree whose inner vertices are switches. Without a tree all nodes are on one switch.
/// The costs of the same text are those of a cluster, or the links of a network. Throws input_error.
class json_cluster_reader : json_reader {
  public:
    /// Reads the names of nodes and switches, and the tree.
    /// @param top  the text, which must outlive the reader
    json_cluster_reader(const text_file& file, const json_value& top) : json_reader(file), top_(top), builder_(file) {
        check_keys(top, "a cluster", {"name", "nodes", "tree", "latency_us", "bandwidth_MBps", "intra_node"});
        if (const json_value* inside = find(top, "intra_node")) check_intra_node(*inside);
        const json_value& nodes = needed(top, "nodes");
        for (const json_value& node : list(nodes, "nodes")) read_node(node);
        if (nodes_.empty()) file_.refuse(nodes.line, "nodes", "none", "one or more");
        if (const json_value* tree = find(top, "tree")) read_tree(*tree, -1);
        else hang_all();
        for (rank_t c = 0; c < builder_.nodes(); ++c)
            if (builder_.home(c) < 0)
                file_.refuse(find(node_at(c), "name")->line,
                             "node " + json_text(builder_.name(c)) + " is not under the tree", "every node once");
    }

    /// Returns the cluster. Nodes have overhead_us, and the latency_us and bandwidth_MBps of their links; switches those of
    /// the links to their parents. Matrices latency_us and bandwidth_MBps take precedence. With a matrix, every ordered
    /// pair of nodes has a link of its own. Missing values come from the defaults. Without defaults, times are 0, and
    /// bandwidths are unlimited.
    cluster read(const cluster::defaults& defaults) {
        defaults.check();
        for (rank_t c = 0; c < builder_.nodes(); ++c) {
            builder_.overhead(c) =
                ps_of_us(number_or(node_at(c), "overhead_us", range_us, defaults.overhead_us).value_or(0));
            builder_.node_link(c) = link(node_at(c), defaults.latency_us, defaults.bandwidth_MBps);
        }
        for (std::size_t e = 0; e < switches_.size(); ++e)
            builder_.uplink(static_cast<rank_t>(e)) =
                e == 0 ? link(*switches_[e], {}, {})
                       : link(*switches_[e], defaults.uplink_latency_us, defaults.uplink_bandwidth_MBps);
        const auto latencies = matrix(top_, "latency_us", range_us, [](double us) { return ps_of_us(us); });
        const auto rates = matrix(top_, "bandwidth_MBps", range_MBps, [](double b) { return byte_fs_of(b); });
        cluster result = builder_.build(text_or(top_, "name", file_stem()), latencies, rates);
        result.set_intra_nodes(intra_nodes(defaults.intra_node()));
        if (result.links.nodes() == 0) result.links = pair_network(result.cost);
        return result;
    }

    /// Returns the network: nodes are ranks, in the order of the file, and inner vertices of the tree are switches. The
    /// latency and bandwidth of a node are those of a link in each direction between the node and its switch, and those of
    /// an inner vertex of the links between the switch and its parent.
    ///
    /// - Overheads of nodes and links within nodes are not kept: each node is one rank.
    /// - Each link needs a bandwidth, a whole number of bytes per second, 1 to 2e15. Latencies are rounded to picoseconds.
    /// - A matrix has costs of pairs of nodes, and not of links. It is an error.
    /// - A switch without a name, or with the name of another vertex, has the name "sN", N from 0 in the order of the file.
    ///
    /// @pre numbers of the text are decimal
    topology::network read_network() {
        for (const std::string_view key : {"latency_us", "bandwidth_MBps"})
            if (const json_value* found = find(top_, key))
                file_.refuse(found->line, key, "a matrix",
                             "none for a network: a matrix has pairs of nodes, not links");
        const rank_t p = builder_.nodes();
        if (switches() > most_nodes) file_.refuse(top_.line, "tree", "too many switches", "at most 2^20");
        std::vector<topology::network::link> links;
        for (rank_t r = 0; r < p; ++r) {
            if (const json_value* overhead = find(node_at(r), "overhead_us")) microseconds(*overhead, "overhead_us");
            add_cable(r, p + builder_.home(r), node_at(r), "node " + json_text(builder_.name(r)), links);
        }
        for (rank_t s = 1; s < switches(); ++s)
            add_cable(p + s, p + builder_.parent(s), *switches_[at(s)], "a switch below another one", links);
        return named_network(file_, top_.line, p, vertex_names(), links);
    }

  private:
    static std::size_t at(rank_t i) { return static_cast<std::size_t>(i); }
    const json_value& node_at(rank_t c) const { return *nodes_[at(c)]; }
    rank_t switches() const { return static_cast<rank_t>(builder_.parents().size()) + 1; }
    std::string file_stem() const { return std::filesystem::path(file_.name).stem().string(); }

    std::string text_or(const json_value& value, std::string_view key, const std::string& missing) const {
        const json_value* found = find(value, key);
        return found == nullptr ? missing : text(*found, key);
    }
    double number(const json_value& value, std::string_view name, const rate_range& range) const {
        const std::optional<double> x = value.number();
        if (!x) file_.refuse(value.line, name, "no number", range.text);
        if (!range.holds(*x)) file_.refuse(value.line, name, fmt::format("{}", *x), range.text);
        return *x;
    }
    std::optional<double> number_or(const json_value& value, std::string_view key, const rate_range& range,
                                    std::optional<double> missing) const {
        const json_value* found = find(value, key);
        return found == nullptr ? missing : number(*found, key, range);
    }
    lob_model::link_cost link(const json_value& object, std::optional<double> latency,
                              std::optional<double> bandwidth) const {
        latency = number_or(object, "latency_us", range_us, latency);
        bandwidth = number_or(object, "bandwidth_MBps", range_MBps, bandwidth);
        return {ps_of_us(latency.value_or(0)), bandwidth ? byte_fs_of(*bandwidth) : 0};
    }

    void check_intra_node(const json_value& inside) const {
        check_keys(inside, "intra_node",
                   {"latency_us", "bandwidth_MBps", "shared", "sockets", "socket_latency_us", "socket_bandwidth_MBps"});
        (void)intra_node(inside, {});
    }
    /// Returns the links within a node. @param missing  values that the object omits
    intra_node_links intra_node(const json_value& object, intra_node_links missing) const {
        const auto read = [&](link_cost& cost, std::string_view latency, std::string_view bandwidth) {
            if (const json_value* us = find(object, latency))
                cost.latency_ps = ps_of_us(number(*us, latency, range_us));
            if (const json_value* rate = find(object, bandwidth))
                cost.byte_fs = byte_fs_of(number(*rate, bandwidth, range_MBps));
        };
        read(missing.rank_link, "latency_us", "bandwidth_MBps");
        read(missing.socket_link, "socket_latency_us", "socket_bandwidth_MBps");
        if (const json_value* shared = find(object, "shared")) missing.shared = truth(*shared, "shared");
        if (const json_value* sockets = find(object, "sockets"))
            missing.sockets = whole_number(file_, *sockets, "sockets", 1, intra_node_links::most_sockets);
        return missing;
    }
    /// Returns the links within all nodes: those of the node, else of the file, else `missing`.
    std::vector<intra_node_links> intra_nodes(intra_node_links missing) const {
        if (const json_value* all = find(top_, "intra_node")) missing = intra_node(*all, missing);
        std::vector<intra_node_links> nodes(nodes_.size(), missing);
        for (std::size_t c = 0; c < nodes.size(); ++c)
            if (const json_value* inside = find(*nodes_[c], "intra_node")) nodes[c] = intra_node(*inside, missing);
        return nodes;
    }

    std::int64_t microseconds(const json_value& value, std::string_view key) const {
        return scaled_number(file_, value, key, {.power = 6, .rounds = true}, 0, 1'000'000'000'000'000'000,
                             range_us.text);
    }
    /// Appends the links of both directions, with the exact rates of a node or switch.
    void add_cable(rank_t a, rank_t b, const json_value& object, const std::string& owner,
                   std::vector<topology::network::link>& links) const {
        const json_value *rate = find(object, "bandwidth_MBps"), *time = find(object, "latency_us");
        if (rate == nullptr)
            file_.refuse(object.line, "bandwidth_MBps", "none for " + owner,
                         "one: links of a network have a bandwidth");
        const std::int64_t bandwidth =
            scaled_number(file_, *rate, "bandwidth_MBps", {.power = 6}, 1, 2'000'000'000'000'000,
                          "a whole number of bytes per second, 1e-6 to 2e9 MB/s");
        const std::int64_t latency = time == nullptr ? 0 : microseconds(*time, "latency_us");
        links.push_back({a, b, bandwidth, latency});
        links.push_back({b, a, bandwidth, latency});
    }
    /// Returns different names of all vertices. Switches whose name is missing or taken receive the name "sN", with
    /// underscores in front until it is free.
    std::vector<std::string> vertex_names() const {
        std::vector<std::string> names;
        std::unordered_set<std::string> used_names;
        for (rank_t c = 0; c < builder_.nodes(); ++c) used_names.insert(names.emplace_back(builder_.name(c)));
        const auto nodes = names.size();
        for (rank_t s = 0; s < switches(); ++s) {
            const bool is_named = find(top_, "tree") != nullptr || find(top_, "name") != nullptr;
            const std::string name = is_named ? builder_.switch_name(s) : "";
            names.push_back(!name.empty() && used_names.insert(name).second ? name : "");
        }
        for (std::size_t v = nodes; v < names.size(); ++v) {
            if (!names[v].empty()) continue;
            for (names[v] = fmt::format("s{}", v - nodes); !used_names.insert(names[v]).second;)
                names[v].insert(0, "_");
        }
        return names;
    }

    void read_node(const json_value& node) {
        check_keys(node, "a node", {"name", "overhead_us", "latency_us", "bandwidth_MBps", "intra_node"});
        if (const json_value* inside = find(node, "intra_node")) check_intra_node(*inside);
        const json_value& name = needed(node, "name");
        builder_.add_node(text(name, "name"), -1, 0, {}, name.line);
        nodes_.push_back(&node);
    }
    void read_tree(const json_value& inner, rank_t parent) {
        check_keys(inner, "the tree", {"name", "latency_us", "bandwidth_MBps", "children"});
        const rank_t e = builder_.add_switch(text_or(inner, "name", ""), parent, {}, inner.line);
        switches_.push_back(&inner);
        const json_value& children = needed(inner, "children");
        if (list(children, "children").empty())
            file_.refuse(children.line, "children", "none", "one or more, names of nodes or inner nodes of the tree");
        for (const json_value& child : list(children, "children")) {
            if (child.as<std::string>() != nullptr) hang(child, e);
            else if (child.as<json_value::object>() != nullptr) read_tree(child, e);
            else file_.refuse(child.line, "a child of the tree is neither text nor object", "\"NODE\" or {...}");
        }
    }
    void hang(const json_value& child, rank_t e) {
        const std::string& node = *child.as<std::string>();
        const rank_t c = builder_.find(node);
        if (c < 0) file_.refuse(child.line, "unknown node " + json_text(node), "a name from \"nodes\"");
        if (builder_.home(c) >= 0)
            file_.refuse(child.line, "node " + json_text(node) + " twice under the tree", "every node once");
        builder_.home(c) = e;
    }
    void hang_all() {
        const rank_t root = builder_.add_switch(text_or(top_, "name", file_stem()), -1, {}, top_.line);
        for (rank_t c = 0; c < builder_.nodes(); ++c) builder_.home(c) = root;
    }

    /// Returns a matrix row by row; empty if the key is missing. The diagonal is ignored.
    template <class Convert>
    std::vector<std::int64_t> matrix(const json_value& top, std::string_view key, const rate_range& range,
                                     Convert convert) const {
        const json_value* found = find(top, key);
        if (found == nullptr) return {};
        const auto n = static_cast<std::size_t>(builder_.nodes());
        std::vector<std::int64_t> entries;
        const auto check_size = [&](const json_value& value, std::string_view name) {
            const std::size_t size = list(value, name).size();
            if (size != n)
                file_.refuse(value.line, name, fmt::format("{} entries", size),
                             fmt::format("{}, one for each node", n));
        };
        check_size(*found, key);
        for (const json_value& row : *found->as<json_value::list>()) {
            const std::size_t i = entries.size() / n;
            check_size(row, fmt::format("{}[{}]", key, i));
            for (const json_value& entry : *row.as<json_value::list>()) {
                const std::size_t j = entries.size() % n;
                const std::optional<double> x = entry.number();
                if (i != j && (!x || !range.holds(*x))) number(entry, fmt::format("{}[{}][{}]", key, i, j), range);
                entries.push_back(i == j ? 0 : convert(*x));
            }
        }
        return entries;
    }

    const json_value& top_;
    cluster_builder builder_;
    std::vector<const json_value*> nodes_, switches_;  ///< objects of the nodes, and of the inner vertices of a tree
};

}  // namespace detail

/// Reads a cluster in JSON, as read_cluster() does, without the libraries that other formats need. Throws input_error.
/// @param file      the text
/// @param defaults  values for links and nodes whose cost the text omits
/// @return the cluster
inline cluster read_json_cluster(const text_file& file, const cluster::defaults& defaults = {}) {
    const detail::json_value top = detail::parse_json(file);
    return detail::json_cluster_reader(file, top).read(defaults);
}

}}  // namespace collsched::COLLSCHED_ABI
