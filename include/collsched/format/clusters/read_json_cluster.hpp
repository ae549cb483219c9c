#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collsched/format/clusters/detail/cluster_builder.hpp"
#include "collsched/format/clusters/cluster_defaults.hpp"
#include "collsched/format/files/json_reader.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

class json_cluster_reader : json_reader {
  public:
    json_cluster_reader(const text_file& file, const cluster::defaults& defaults)
        : json_reader(file), defaults_(defaults), builder_(file) {}

    cluster read() {
        defaults_.check();
        const json_value top = parse_json(file_);
        check_keys(top, "a cluster", {"name", "nodes", "tree", "latency_us", "bandwidth_MBps"});
        const std::string name = text_or(top, "name", std::filesystem::path(file_.name).stem().string());
        const json_value& nodes = needed(top, "nodes");
        for (const json_value& node : list(nodes, "nodes")) read_node(node);
        if (builder_.nodes() == 0) file_.refuse(nodes.line, "nodes", "none", "one or more");
        if (const json_value* tree = find(top, "tree")) read_tree(*tree, -1);
        else hang_all(name, top.line);
        for (rank_t c = 0; c < builder_.nodes(); ++c)
            if (builder_.home(c) < 0)
                file_.refuse(lines_[static_cast<std::size_t>(c)],
                             "node " + json_text(builder_.name(c)) + " is not under the tree", "every node once");
        const auto latencies = matrix(top, "latency_us", range_us, [](double us) { return ps_of_us(us); });
        const auto rates = matrix(top, "bandwidth_MBps", range_MBps, [](double b) { return byte_fs_of(b); });
        cluster made = builder_.build(name, latencies, rates);
        if (made.links.nodes() == 0) made.links = pair_network(made.cost);
        return made;
    }

  private:
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

    lob_model::link_cost link(const json_value& of, std::optional<double> latency,
                              std::optional<double> bandwidth) const {
        latency = number_or(of, "latency_us", range_us, latency);
        bandwidth = number_or(of, "bandwidth_MBps", range_MBps, bandwidth);
        return {ps_of_us(latency.value_or(0)), bandwidth ? byte_fs_of(*bandwidth) : 0};
    }

    void read_node(const json_value& node) {
        check_keys(node, "a node", {"name", "overhead_us", "latency_us", "bandwidth_MBps"});
        const json_value& name = needed(node, "name");
        const auto overhead = number_or(node, "overhead_us", range_us, defaults_.overhead_us);
        builder_.add_node(text(name, "name"), -1, ps_of_us(overhead.value_or(0)),
                          link(node, defaults_.latency_us, defaults_.bandwidth_MBps), name.line);
        lines_.push_back(name.line);
    }

    void read_tree(const json_value& inner, rank_t parent) {
        check_keys(inner, "the tree", {"name", "latency_us", "bandwidth_MBps", "children"});
        const bool is_root = parent < 0;
        const lob_model::link_cost uplink = link(inner, is_root ? std::nullopt : defaults_.uplink_latency_us,
                                                 is_root ? std::nullopt : defaults_.uplink_bandwidth_MBps);
        const rank_t e = builder_.add_switch(text_or(inner, "name", ""), parent, uplink, inner.line);
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
    void hang_all(const std::string& name, int line) {
        const rank_t root = builder_.add_switch(name, -1, {}, line);
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

    const cluster::defaults& defaults_;
    cluster_builder builder_;
    std::vector<int> lines_;  ///< lines of the nodes
};

}  // namespace detail

/// Reads a cluster file in JSON. It contains nodes with overhead_us, and with latency_us and bandwidth_MBps of their
/// links; a tree whose inner vertices have the latency and bandwidth of the links to their parents; and matrices
/// latency_us and bandwidth_MBps, which take precedence. With a matrix, every ordered pair of nodes has a link of its
/// own. Missing values come from the defaults. Without defaults, times are 0, bandwidths are unlimited, and without a
/// tree all nodes are on one switch. Throws input_error.
/// @param file      the text
/// @param defaults  values for links and nodes whose cost the text omits
/// @return the cluster
inline cluster read_json_cluster(const text_file& file, const cluster::defaults& defaults = {}) {
    return detail::json_cluster_reader(file, defaults).read();
}

}}  // namespace collsched::COLLSCHED_ABI
