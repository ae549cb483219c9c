#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "collsched/format/files/json_reader.hpp"
#include "collsched/topology/network.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

class json_cluster_network_reader : json_reader {
  public:
    explicit json_cluster_network_reader(const text_file& file) : json_reader(file) {}

    topology::network read() {
        const json_value top = parse_json(file_, json_numbers::as_decimal);
        check_keys(top, "a cluster", {"name", "nodes", "tree", "latency_us", "bandwidth_MBps"});
        for (const std::string_view key : {"latency_us", "bandwidth_MBps"})
            if (const json_value* found = find(top, key))
                file_.refuse(found->line, key, "a matrix",
                             "none for a network: a matrix has pairs of nodes, not links");
        const json_value* name = find(top, "name");
        const std::string title = name == nullptr ? "" : text(*name, "name");
        const json_value& nodes = needed(top, "nodes");
        for (const json_value& node : list(nodes, "nodes")) read_node(node);
        if (nodes_.empty()) file_.refuse(nodes.line, "nodes", "none", "one or more");
        if (const json_value* tree = find(top, "tree")) read_tree(*tree, -1, 0);
        else hang_all(title);
        for (const seat& one : nodes_)
            if (one.home < 0)
                file_.refuse(one.of->line, "node " + json_text(*one.name) + " is not under the tree",
                             "every node once");
        return made(top.line);
    }

  private:
    static constexpr std::size_t most_vertices = std::size_t{1} << 20;
    static constexpr int most_levels = 64;

    struct seat {
        const json_value* of;
        const std::string* name;
        rank_t home;  // switch, or -1
    };
    struct rates {
        std::int64_t bandwidth, latency;
    };

    void read_node(const json_value& of) {
        check_keys(of, "a node", {"name", "overhead_us", "latency_us", "bandwidth_MBps"});
        const json_value& value = needed(of, "name");
        const std::string& name = text(value, "name");
        if (name.empty() || name.find('\0') != name.npos)
            file_.refuse(value.line, "name", json_text(name), "a name, not empty, without zero bytes");
        if (nodes_.size() == most_vertices) file_.refuse(value.line, "nodes", "too many", "at most 2^20");
        if (!rank_of_.emplace(name, static_cast<rank_t>(nodes_.size())).second)
            file_.refuse(value.line, "node " + json_text(name) + " twice", "every node once");
        if (const json_value* overhead = find(of, "overhead_us")) microseconds(*overhead, "overhead_us");
        nodes_.push_back({&of, &name, -1});
    }

    void read_tree(const json_value& inner, rank_t parent, int level) {
        check_keys(inner, "the tree", {"name", "latency_us", "bandwidth_MBps", "children"});
        if (level == most_levels) file_.refuse(inner.line, "tree", "more levels", "at most 64 levels");
        if (switches_.size() == most_vertices) file_.refuse(inner.line, "tree", "too many switches", "at most 2^20");
        const json_value* name = find(inner, "name");
        const auto here = static_cast<rank_t>(switches_.size());
        switches_.push_back(name == nullptr ? "" : text(*name, "name"));
        parents_.push_back(parent);
        uplinks_.push_back(parent < 0 ? rates{} : rates_of(inner, "a switch below another one"));
        const json_value& children = needed(inner, "children");
        if (list(children, "children").empty())
            file_.refuse(children.line, "children", "none", "one or more, names of nodes or inner nodes of the tree");
        for (const json_value& child : list(children, "children")) {
            if (child.as<std::string>() != nullptr) hang(child, here);
            else if (child.as<json_value::object>() != nullptr) read_tree(child, here, level + 1);
            else file_.refuse(child.line, "a child of the tree is neither text nor object", "\"NODE\" or {...}");
        }
    }
    void hang(const json_value& child, rank_t home) {
        const auto found = rank_of_.find(*child.as<std::string>());
        if (found == rank_of_.end())
            file_.refuse(child.line, "unknown node " + json_text(*child.as<std::string>()), "a name from \"nodes\"");
        seat& one = nodes_[static_cast<std::size_t>(found->second)];
        if (one.home >= 0)
            file_.refuse(child.line, "node " + json_text(*one.name) + " twice under the tree", "every node once");
        one.home = home;
    }
    void hang_all(const std::string& name) {
        switches_.push_back(name);
        parents_.push_back(-1);
        uplinks_.push_back({});
        for (seat& one : nodes_) one.home = 0;
    }

    rates rates_of(const json_value& of, const std::string& owner) const {
        const json_value* bandwidth = find(of, "bandwidth_MBps");
        constexpr std::string_view expected = "a whole number of bytes per second, 1e-6 to 2e9 MB/s";
        if (bandwidth == nullptr)
            file_.refuse(of.line, "bandwidth_MBps", "none for " + owner, "one: links of a network have a bandwidth");
        const json_value* latency = find(of, "latency_us");
        return {scaled_number(file_, *bandwidth, "bandwidth_MBps", {.power = 6}, 1, 2'000'000'000'000'000, expected),
                latency == nullptr ? 0 : microseconds(*latency, "latency_us")};
    }
    std::int64_t microseconds(const json_value& value, std::string_view key) const {
        return scaled_number(file_, value, key, {.power = 6, .rounds = true}, 0, 1'000'000'000'000'000'000,
                             "0 to 1e12 us");
    }

    /// Returns the network: a cable between each node and its switch, and between each switch and its parent.
    topology::network made(int line) {
        const auto p = static_cast<rank_t>(nodes_.size());
        std::vector<topology::network::link> links;
        const auto add_cable = [&](rank_t a, rank_t b, const rates& of) {
            links.push_back({a, b, of.bandwidth, of.latency});
            links.push_back({b, a, of.bandwidth, of.latency});
        };
        for (rank_t r = 0; r < p; ++r) {
            const seat& one = nodes_[static_cast<std::size_t>(r)];
            add_cable(r, p + one.home, rates_of(*one.of, "node " + json_text(*one.name)));
        }
        for (std::size_t s = 1; s < switches_.size(); ++s)
            add_cable(p + static_cast<rank_t>(s), p + parents_[s], uplinks_[s]);
        std::vector<const char*> names;
        for (const seat& one : nodes_) names.push_back(one.name->c_str());
        name_switches();
        for (const std::string& name : switches_) names.push_back(name.c_str());
        const topology::network net(p, static_cast<rank_t>(switches_.size()), links, names);
        if (const argument_error error = net.check()) file_.refuse(line, error);
        return net;
    }
    /// Gives switches whose name is missing or taken the name "sN", with underscores in front until it is free.
    void name_switches() {
        std::unordered_map<std::string, rank_t> taken = rank_of_;
        std::vector<std::size_t> unnamed;
        for (std::size_t s = 0; s < switches_.size(); ++s)
            if (switches_[s].empty() || switches_[s].find('\0') != std::string::npos ||
                !taken.emplace(switches_[s], 0).second)
                unnamed.push_back(s);
        for (const std::size_t s : unnamed)
            for (switches_[s] = fmt::format("s{}", s); !taken.emplace(switches_[s], 0).second;)
                switches_[s].insert(0, "_");
    }

    std::unordered_map<std::string, rank_t> rank_of_;
    std::vector<seat> nodes_;
    std::vector<std::string> switches_;  // in the order of the file, each behind its parent
    std::vector<rank_t> parents_;
    std::vector<rates> uplinks_;
};

}  // namespace detail

/// Returns whether a text is a cluster in JSON rather than a network: an object with the key `nodes`. O(text). Throws
/// input_error for a text that is no JSON.
/// @param file  the text
inline bool is_json_cluster(const text_file& file) {
    const detail::json_value top = detail::parse_json(file, detail::json_numbers::as_decimal);
    return top.as<detail::json_value::object>() != nullptr && json_reader::find(top, "nodes") != nullptr;
}

/// Reads the network of a cluster in JSON, in the format of read_cluster(). Nodes are ranks, in the order of the file,
/// and inner vertices of the tree are switches. The latency and bandwidth of a node are those of a link in each direction
/// between the node and its switch, and those of an inner vertex of the links between the switch and its parent.
///
/// - Overheads of nodes are not kept: a network has links only.
/// - Each link needs a bandwidth, a whole number of bytes per second, 1 to 2e15. Latencies are rounded to picoseconds.
/// - A matrix has costs of pairs of nodes, and not of links. It is an error.
/// - A switch without a name, or with the name of another vertex, has the name "sN", N from 0 in the order of the file.
///
/// There are at most 2^20 nodes, 2^20 switches and 64 levels. O(text). Throws input_error.
/// @param file  the text
/// @return the network, without an error
inline topology::network read_cluster_network(const text_file& file) {
    return detail::json_cluster_network_reader(file).read();
}
/// Reads the file of this path. Throws input_error.
/// @param path  path of the file
/// @return the network, without an error
inline topology::network read_cluster_network(const std::filesystem::path& path) {
    return read_cluster_network(read_text_file(path));
}

}}  // namespace collsched::COLLSCHED_ABI
