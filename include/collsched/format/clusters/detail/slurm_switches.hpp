#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "collsched/format/clusters/cluster.hpp"
#include "collsched/format/clusters/detail/cluster_builder.hpp"
#include "collsched/format/files/detail/host_list.hpp"
#include "collsched/format/files/text_file.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The text of a list of names, and its line.
struct slurm_list {
    std::string text;
    int line = 1;

    bool empty() const { return text.empty(); }
};

/// A switch of topology/tree: its nodes and its child switches, either of which may be empty.
struct slurm_switch {
    std::string name;
    int line = 1;
    slurm_list nodes{}, switches{};
};

/// A block of topology/block: a set of nodes that are closer to each other than to other nodes.
struct slurm_block {
    std::string name;
    int line = 1;
    slurm_list nodes{};
};

/// The content of a topology.conf, or of one topology of a topology.yaml: switches or blocks, never both.
struct slurm_topology {
    std::string name;
    int line = 1;  ///< line for errors of the whole topology
    std::vector<slurm_switch> switches{};
    std::vector<slurm_block> blocks{};
    slurm_list block_sizes{};  ///< numbers of nodes, separated by commas; may be empty
};

/// The costs of links and nodes. All come from the defaults, since Slurm has none. Throws if one is missing.
class slurm_costs {
  public:
    slurm_costs(const text_file& file, const cluster::defaults& defaults) : file_(file), defaults_(defaults) {}

    lob_model::link_cost uplink(const std::string& name, int line) const {
        return {ps_of_us(option(defaults_.uplink_latency_us, "uplink_latency_us", name, line)),
                byte_fs_of(option(defaults_.uplink_bandwidth_MBps, "uplink_bandwidth_MBps", name, line))};
    }
    picoseconds overhead(const std::string& node, int line) const {
        return ps_of_us(option(defaults_.overhead_us, "overhead_us", node, line));
    }
    lob_model::link_cost node_link(const std::string& node, int line) const {
        return {ps_of_us(option(defaults_.latency_us, "latency_us", node, line)),
                byte_fs_of(option(defaults_.bandwidth_MBps, "bandwidth_MBps", node, line))};
    }

  private:
    double option(const std::optional<double>& value, std::string_view name, const std::string& owner, int line) const {
        if (!value)
            throw input_error(
                {std::string(name), "", fmt::format("{} has none for {}", file_.place(line), json_text(owner))});
        return *value;
    }

    const text_file& file_;
    const cluster::defaults& defaults_;
};

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
        std::vector<bool> reached(switches_.size());
        for (std::size_t s = 0; s < switches_.size(); ++s)
            if (!switches_[s].parent) order.push_back(s);
        for (std::size_t i = 0; i < order.size(); ++i) {
            reached[order[i]] = true;
            const std::vector<std::size_t>& children = switches_[order[i]].children;
            order.insert(order.end(), children.begin(), children.end());
        }
        if (order.size() < switches_.size())
            refuse_circle(static_cast<std::size_t>(std::find(reached.begin(), reached.end(), false) - reached.begin()));
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
            vertex& current = switches_[*s];
            current.has_nodes |= !current.read.nodes.empty();
            if (current.parent) switches_[*current.parent].has_nodes |= current.has_nodes;
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

/// The blocks of topology/block as switches. Neighboring blocks form the larger blocks of each greater block size, and
/// one root contains the rest. Blocks without nodes count, but are no switches. Source: block_record.c of Slurm 25.05.
class slurm_blocks {
  public:
    slurm_blocks(const text_file& file, const slurm_topology& topology, const slurm_costs& costs)
        : file_(file), topology_(topology), costs_(costs), blocks_(topology.blocks) {}

    cluster build() {
        const std::vector<std::size_t> sizes = read_sizes();
        read_nodes();
        const bool one_on_top = sizes.back() >= blocks_.size();
        std::vector<rank_t> above(blocks_.size(), -1);  // per block: lowest switch so far
        if (!one_on_top) above.assign(blocks_.size(), builder_.add_switch(topology_.name, -1, {}, topology_.line));
        for (std::size_t level = sizes.size(); level-- > 1;)
            for (std::size_t first = 0; first < blocks_.size(); first += sizes[level])
                if (blocks_.size() - first > sizes[level - 1]) add_larger_block(first, sizes[level], above);
        for (std::size_t b = 0; b < blocks_.size(); ++b) add_block(b, above[b]);
        return builder_.build(topology_.name);
    }

  private:
    static constexpr std::int64_t most_blocks = 1 << 15;  ///< per larger block, as in Slurm

    /// Returns the numbers of blocks per larger block, ascending from 1, up to the first that contains all blocks.
    std::vector<std::size_t> read_sizes() const {
        std::vector<std::size_t> counts;
        std::int64_t base = 0;
        for (const std::string_view piece : split_list(topology_.block_sizes.text)) {
            const std::string_view digits = piece.substr(std::min(piece.find_first_not_of(' '), piece.size()));
            if (digits.empty()) continue;  // as in Slurm: "2,, 4," is "2,4"
            const std::int64_t size = integer_of(digits).value_or(0);
            if (size < 1 || size > most_nodes) refuse_size(piece);
            if (base == 0) base = size;
            const std::int64_t count = size / base;
            if (size % base != 0 || !std::has_single_bit(static_cast<std::uint64_t>(count)) || count > most_blocks)
                refuse_size(piece);
            counts.push_back(static_cast<std::size_t>(count));
        }
        if (counts.empty() && !topology_.block_sizes.empty()) refuse_size(topology_.block_sizes.text);
        if (counts.empty()) counts = {1, 2, 4, 8, 16};
        std::ranges::sort(counts);
        counts.erase(std::ranges::unique(counts).begin(), counts.end());
        const auto all = std::ranges::find_if(counts, [&](std::size_t count) { return count >= blocks_.size(); });
        if (all != counts.end()) counts.erase(all + 1, counts.end());
        return counts;
    }
    [[noreturn]] void refuse_size(std::string_view piece) const {
        file_.refuse(topology_.block_sizes.line, "block size " + json_text(piece.substr(0, 100)),
                     "a number of nodes, the first one times 2^k, k = 0 to 15");
    }

    /// Reads the nodes of all blocks.
    void read_nodes() {
        std::int64_t nodes = 0;
        for (const slurm_block& block : blocks_) {
            if (!names_.insert(block.name).second)
                file_.refuse(block.line, "block " + json_text(block.name) + " twice", "every block once");
            nodes_.emplace_back();
            if (!block.nodes.empty()) nodes_.back() = expand_host_list(block.nodes.text, {file_, block.nodes.line});
            nodes += static_cast<std::int64_t>(nodes_.back().size());
            if (nodes > most_nodes) file_.refuse(block.nodes.line, "too many nodes", "at most 2^20");
        }
        if (nodes == 0) file_.refuse(topology_.line, "no block with nodes", "one node or more");
    }

    void add_larger_block(std::size_t first, std::size_t count, std::vector<rank_t>& above) {
        const std::size_t end = std::min(first + count, blocks_.size());
        std::size_t nodes = 0;
        for (std::size_t b = first; b < end; ++b) nodes += nodes_[b].size();
        if (nodes == 0) return;
        const rank_t parent =
            add(blocks_[first].name + ".." + blocks_[end - 1].name, above[first], blocks_[first].line);
        for (std::size_t b = first; b < end; ++b) above[b] = parent;
    }
    void add_block(std::size_t b, rank_t above) {
        if (nodes_[b].empty()) return;
        const slurm_block& block = blocks_[b];
        const int line = block.nodes.line;
        const rank_t number = add(block.name, above, block.line);
        for (const std::string& node : nodes_[b]) {
            const picoseconds overhead = costs_.overhead(node, line);
            builder_.add_node(node, number, overhead, costs_.node_link(node, line), line);
        }
    }
    rank_t add(const std::string& name, rank_t above, int line) {
        return builder_.add_switch(name, above, above < 0 ? lob_model::link_cost{} : costs_.uplink(name, line), line);
    }

    const text_file& file_;
    const slurm_topology& topology_;
    const slurm_costs& costs_;
    const std::vector<slurm_block>& blocks_;
    cluster_builder builder_{file_};
    std::unordered_set<std::string> names_;
    std::vector<std::vector<std::string>> nodes_;  ///< per block
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
