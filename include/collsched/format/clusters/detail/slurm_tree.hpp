#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "collsched/format/clusters/detail/cluster_builder.hpp"
#include "collsched/format/files/detail/host_list.hpp"
#include "collsched/format/clusters/detail/slurm_topology.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The switches of topology/tree as a switch tree. Switches without nodes below them are omitted.
class slurm_tree {
  public:
    slurm_tree(const text_file& file, const slurm_topology& topology, const slurm_costs& costs)
        : file_(file), topology_(topology), costs_(costs) {
        for (const slurm_switch& read : topology.switches) {
            if (!numbers_.emplace(read.name, switches_.size()).second)
                file_.refuse(read.line, "switch " + json_text(read.name) + " twice", "every switch once");
            switches_.push_back({read});
        }
    }

    /// Builds the tree below this switch, or the whole tree if the name is empty.
    cluster build(const std::string& below) {
        join();
        find_nodes(order_from_roots());
        number_from(below.empty() ? find_root() : find_switch(below));
        for (const vertex& s : switches_)
            if (s.number >= 0 && !s.read.nodes.empty()) add_nodes(s);
        return builder_.build(topology_.name);
    }

  private:
    struct vertex {
        const slurm_switch& read;
        std::optional<std::size_t> parent{};
        std::vector<std::size_t> children{};
        bool has_nodes = false;  ///< whether it or a descendant has nodes
        rank_t number = -1;
    };

    void join() {
        for (std::size_t s = 0; s < switches_.size(); ++s) {
            const slurm_list& list = switches_[s].read.switches;
            if (list.empty()) continue;
            for (const std::string& name : expand_host_list(list.text, {file_, list.line})) {
                const auto found = numbers_.find(name);
                if (found == numbers_.end())
                    file_.refuse(list.line, "unknown switch " + json_text(name),
                                 "the name of a switch of this topology");
                vertex& child = switches_[found->second];
                if (child.parent)
                    file_.refuse(
                        list.line,
                        fmt::format("switch {} under {} and {}", json_text(name), name_of(*child.parent), name_of(s)),
                        "under one switch");
                child.parent = s;
                switches_[s].children.push_back(found->second);
            }
        }
    }

    /// Returns all switches, each after its parent.
    std::vector<std::size_t> order_from_roots() const {
        std::vector<std::size_t> order;
        std::vector<bool> seen(switches_.size());
        for (std::size_t s = 0; s < switches_.size(); ++s)
            if (!switches_[s].parent) order.push_back(s);
        for (std::size_t i = 0; i < order.size(); ++i) {
            seen[order[i]] = true;
            const std::vector<std::size_t>& children = switches_[order[i]].children;
            order.insert(order.end(), children.begin(), children.end());
        }
        if (order.size() < switches_.size())
            refuse_circle(static_cast<std::size_t>(std::find(seen.begin(), seen.end(), false) - seen.begin()));
        return order;
    }

    /// Rejects a cycle. A switch that no root reaches is below a cycle. The error names the first switch of the cycle.
    [[noreturn]] void refuse_circle(std::size_t below) const {
        for (std::size_t i = 0; i < switches_.size(); ++i) below = *switches_[below].parent;
        std::size_t first = below;
        for (std::size_t s = *switches_[below].parent; s != below; s = *switches_[s].parent) first = std::min(first, s);
        file_.refuse(switches_[first].read.switches.line, "switch " + name_of(first) + " below itself",
                     "a tree of switches");
    }

    void find_nodes(const std::vector<std::size_t>& order) {
        for (auto s = order.rbegin(); s != order.rend(); ++s) {
            vertex& here = switches_[*s];
            here.has_nodes |= !here.read.nodes.empty();
            if (here.parent) switches_[*here.parent].has_nodes |= here.has_nodes;
        }
    }

    std::size_t find_root() const {
        std::optional<std::size_t> root;
        for (std::size_t s = 0; s < switches_.size(); ++s) {
            if (switches_[s].parent || !switches_[s].has_nodes) continue;
            if (root)
                file_.refuse(switches_[s].read.line,
                             fmt::format("no path from node {} below switch {} to node {} below switch {}",
                                         node_below(*root), name_of(*root), node_below(s), name_of(s)),
                             "one switch above all others, or a choice by switch_name");
            root = s;
        }
        if (!root) file_.refuse(topology_.line, "switches without nodes", "nodes below a switch");
        return *root;
    }
    std::size_t find_switch(const std::string& name) const {
        const auto found = numbers_.find(name);
        if (found == numbers_.end() || !switches_[found->second].has_nodes)
            throw input_error({"switch_name", json_text(name), "a switch with nodes below it"});
        return found->second;
    }

    /// Numbers the switches level by level, so that each has a greater number than its parent.
    void number_from(std::size_t root) {
        std::vector<std::size_t> order{root};
        for (std::size_t i = 0; i < order.size(); ++i) {
            vertex& s = switches_[order[i]];
            const bool is_root = i == 0;
            s.number = builder_.add_switch(s.read.name, is_root ? -1 : switches_[*s.parent].number,
                                           is_root ? lob_model::link_cost{} : costs_.uplink(s.read.name, s.read.line),
                                           s.read.line);
            for (const std::size_t child : s.children)
                if (switches_[child].has_nodes) order.push_back(child);
        }
    }

    void add_nodes(const vertex& s) {
        const int line = s.read.nodes.line;
        for (const std::string& node : expand_host_list(s.read.nodes.text, {file_, line})) {
            const picoseconds overhead = costs_.overhead(node, line);
            builder_.add_node(node, s.number, overhead, costs_.node_link(node, line), line);
        }
    }

    std::string name_of(std::size_t s) const { return json_text(switches_[s].read.name); }
    std::string node_below(std::size_t s) const {
        while (switches_[s].read.nodes.empty())
            s = *std::ranges::find_if(switches_[s].children, [&](std::size_t c) { return switches_[c].has_nodes; });
        const slurm_list& nodes = switches_[s].read.nodes;
        return json_text(expand_host_list(nodes.text, {file_, nodes.line}).front());
    }

    const text_file& file_;
    const slurm_topology& topology_;
    const slurm_costs& costs_;
    cluster_builder builder_{file_};
    std::vector<vertex> switches_;
    std::unordered_map<std::string, std::size_t> numbers_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
