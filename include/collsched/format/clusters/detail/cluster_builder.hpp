#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collsched/format/clusters/cluster.hpp"
#include "collsched/format/files/detail/host_list.hpp"
#include "collsched/format/files/text_file.hpp"
#include "collsched/topology/network.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Returns whether a name is UTF-8 text without control characters, U+FFFE and U+FFFF.
inline bool is_plain(std::string_view name) {
    for (std::size_t at = 0; at < name.size();) {
        const auto byte = [&](std::size_t n) -> unsigned {
            return at + n < name.size() ? static_cast<unsigned char>(name[at + n]) : 0;
        };
        const unsigned lead = byte(0);
        if (lead < 0x80) {
            if (lead < 0x20 || lead == 0x7f) return false;
            ++at;
            continue;
        }
        const std::size_t more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
        std::uint32_t code = lead & (0x3fU >> more);
        for (std::size_t n = 1; n <= more; ++n) {
            if ((byte(n) & 0xc0U) != 0x80) return false;
            code = code << 6 | (byte(n) & 0x3fU);
        }
        constexpr std::uint32_t least[] = {0, 0x80, 0x800, 0x10000};
        const bool surrogate = code >= 0xd800 && code < 0xe000;
        if (lead < 0xc2 || lead > 0xf4 || code < least[more] || code > 0x10ffff || surrogate) return false;
        if ((code & 0xfffeU) == 0xfffe || (code >= 0x80 && code < 0xa0)) return false;
        at += more + 1;
    }
    return true;
}

/// Returns a network whose vertices have these names, ranks first. Throws input_error for a wrong network.
/// @param line  line of the text for errors of the network
inline topology::network named_network(const text_file& file, int line, rank_t ranks,
                                       const std::vector<std::string>& names,
                                       std::span<const topology::network::link> links) {
    std::vector<const char*> pointers;
    for (const std::string& name : names) pointers.push_back(name.c_str());
    const topology::network net(ranks, static_cast<rank_t>(names.size()) - ranks, links, pointers);
    if (const argument_error error = net.check()) file.refuse(line, error);
    return net;
}

/// Builds a cluster for all readers: switches from the root downwards, nodes in the order of the file, and the line of
/// each in the file.
class cluster_builder {
  public:
    explicit cluster_builder(const text_file& file) : file_(file) {}

    /// Adds a switch. The first one is the root; its `parent` is ignored. The time to price a path is proportional to
    /// the number of its links.
    rank_t add_switch(std::string name, rank_t parent, lob_model::link_cost uplink, int line) {
        check_name(name, line);
        const rank_t level = switches_.empty() ? 0 : levels_[at(parent)] + 1;
        if (level == most_levels) file_.refuse(line, json_text(name) + " too deep in the tree", "at most 64 levels");
        levels_.push_back(level);
        if (!switches_.empty()) parents_.push_back(parent);
        switches_.push_back(std::move(name));
        uplinks_.push_back(uplink);
        lines_.push_back(line);
        return static_cast<rank_t>(switches_.size()) - 1;
    }
    rank_t add_node(std::string name, rank_t home, picoseconds overhead, lob_model::link_cost link, int line) {
        const auto c = static_cast<rank_t>(names_.size());
        if (name.empty()) file_.refuse(line, "a node without a name", "a name");
        check_name(name, line);
        if (c == most_nodes) file_.refuse(line, "node " + json_text(name), "at most 2^20 nodes");
        if (!numbers_.emplace(name, c).second)
            file_.refuse(line, "node " + json_text(name) + " twice", "every node once");
        names_.push_back(std::move(name));
        homes_.push_back(home);
        overheads_.push_back(overhead);
        node_links_.push_back(link);
        return c;
    }

    rank_t nodes() const { return static_cast<rank_t>(names_.size()); }
    const std::string& name(rank_t c) const { return names_[at(c)]; }
    const std::string& switch_name(rank_t e) const { return switches_[at(e)]; }
    rank_t parent(rank_t e) const { return e == 0 ? -1 : parents_[at(e) - 1]; }
    std::span<const rank_t> parents() const { return parents_; }
    rank_t& home(rank_t c) { return homes_[at(c)]; }
    picoseconds& overhead(rank_t c) { return overheads_[at(c)]; }
    lob_model::link_cost& node_link(rank_t c) { return node_links_[at(c)]; }
    lob_model::link_cost& uplink(rank_t e) { return uplinks_[at(e)]; }

    /// Returns the node of this name, or -1.
    rank_t find(const std::string& node) const {
        const auto found = numbers_.find(node);
        return found == numbers_.end() ? -1 : found->second;
    }

    /// Builds the cluster. Matrices that are not empty take precedence over the tree; it then has no links.
    /// @pre every node has a switch
    cluster build(std::string name, std::span<const picoseconds> latencies = {},
                  std::span<const std::int64_t> byte_fs = {}) const {
        const topology::switch_tree switches(parents_, homes_);
        lob_model cost(switches, overheads_, node_links_, uplinks_);
        if (!latencies.empty() || !byte_fs.empty()) cost = cost.with_matrices(latencies, byte_fs);
        if (const argument_error error = cost.check()) refuse(error);
        contention_model::network links;
        if (latencies.empty() && byte_fs.empty()) links = tree_network(switches, node_links_, uplinks_);
        return {std::move(name), names_, switches_, cost, std::move(links)};
    }

  private:
    static constexpr rank_t most_levels = 64;

    void check_name(const std::string& name, int line) const {
        if (detail::is_plain(name)) return;
        std::string shown;
        for (const char c : name.substr(0, 100)) {
            const auto byte = static_cast<unsigned char>(c);
            shown += byte >= 0x20 && byte < 0x7f ? std::string(1, c) : fmt::format(FMT_COMPILE("\\x{:02x}"), byte);
        }
        file_.refuse(line, "name " + shown, "UTF-8 without control characters");
    }

    static std::size_t at(rank_t i) { return static_cast<std::size_t>(i); }

    [[noreturn]] void refuse(const argument_error& error) const {
        const auto e = error.index >= 0 && error.index < static_cast<rank_t>(lines_.size()) ? at(error.index) : 0;
        file_.refuse(lines_[e], fmt::format("{} of the paths at {}", error.argument, json_text(switches_[e])),
                     error.expected);
    }

    const text_file& file_;
    std::vector<std::string> names_, switches_;
    std::unordered_map<std::string, rank_t> numbers_;
    std::vector<rank_t> parents_, homes_, levels_;  ///< `levels_` of the switches
    std::vector<picoseconds> overheads_;
    std::vector<lob_model::link_cost> node_links_, uplinks_;
    std::vector<int> lines_;  ///< lines of the switches in the file
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
