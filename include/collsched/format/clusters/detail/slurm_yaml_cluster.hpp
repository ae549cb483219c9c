#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include <fmt/ranges.h>

#include "collsched/format/clusters/detail/slurm_cluster.hpp"
#include "collsched/format/files/detail/parse_yaml.hpp"
#include "collsched/format/files/json_reader.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Reads the topologies of a topology.yaml.
class slurm_yaml_reader {
    static constexpr auto find = &json_reader::find;

  public:
    explicit slurm_yaml_reader(const text_file& file) : file_(file), root_(parse_yaml(file)) {}

    /// Returns the topology of this name, or the default one if the name is empty.
    slurm_topology read(const std::string& name) const {
        const json_value& chosen = choose(name);
        slurm_topology topology{text(needed(chosen, "topology", "a topology"), "topology"), chosen.line};
        const json_member& plugin = plugin_of(chosen);
        if (plugin.key == "tree") read_tree(plugin.value, topology);
        else read_block(plugin.value, topology);
        return topology;
    }

  private:
    const json_value& choose(const std::string& name) const {
        std::vector<std::string> names;
        std::unordered_set<std::string_view> different;
        const json_value* chosen = nullptr;
        bool decided = false;
        for (const json_value& item : list(root_, "the file")) {
            check_once(item, "a topology");
            names.push_back(text(needed(item, "topology", "a topology"), "topology"));
            if (!different.insert(text(needed(item, "topology", "a topology"), "topology")).second)
                file_.refuse(item.line, "topology " + json_text(names.back()) + " twice", "every topology once");
            const json_value* standard = find(item, "cluster_default");
            const bool is_default = standard != nullptr && truth(*standard, "cluster_default");
            if (decided || (name.empty() ? !is_default && chosen != nullptr : names.back() != name)) continue;
            chosen = &item;
            decided = !name.empty() || is_default;
        }
        if (names.empty()) file_.refuse(root_.line, "no topology", "- topology: NAME");
        if (!decided && !name.empty()) throw input_error({"topology", json_text(name), shown(names)});
        if (!decided && names.size() > 1)
            file_.refuse(root_.line, fmt::format("{} topologies, none with cluster_default: true", names.size()),
                         "one with it, or a choice by topology");
        return *chosen;
    }
    static std::string shown(std::vector<std::string> names) {
        const bool more = names.size() > 8;
        if (more) names.resize(8);
        for (std::string& name : names) name = json_text(name);
        return fmt::format("{}{}", fmt::join(names, ", "), more ? ", ..." : "");
    }

    /// Returns the only key of a topology that names a plugin.
    const json_member& plugin_of(const json_value& topology) const {
        const json_member* found = nullptr;
        for (const json_member& member : *topology.as<json_value::object>()) {
            if (member.key == "topology" || member.key == "cluster_default") continue;
            if (member.key == "flat" && !is_chosen(member.value)) continue;
            for (const std::string_view other : {"flat", "ring", "torus3d"})
                if (member.key == other)
                    file_.refuse(member.line, fmt::format("topology/{}, which is no tree", other),
                                 "topology/tree, topology/block, or a choice of another topology by its name");
            if (member.key != "tree" && member.key != "block")
                file_.refuse(member.line, fmt::format("unknown key {} in a topology", json_text(member.key)),
                             "topology, cluster_default, tree, block");
            if (found != nullptr) file_.refuse(member.line, "tree and block in a topology", "one of them");
            found = &member;
        }
        if (found == nullptr) file_.refuse(topology.line, "a topology without plugin", "tree or block");
        return *found;
    }

    /// Returns whether a topology has topology/flat: "flat: true", or a map of its options.
    bool is_chosen(const json_value& flat) const {
        return flat.as<json_value::object>() != nullptr || truth(flat, "flat");
    }

    void read_tree(const json_value& tree, slurm_topology& topology) const {
        check_keys(tree, "tree", {"switches"});
        for (const json_value& item : list(needed(tree, "switches", "tree"), "switches")) {
            check_keys(item, "a switch", {"switch", "children", "nodes"});
            topology.switches.push_back({name(item, "switch"), item.line, names(find(item, "nodes"), "nodes"),
                                         names(find(item, "children"), "children")});
        }
        if (topology.switches.empty()) file_.refuse(tree.line, "no switch", "- switch: NAME");
    }
    void read_block(const json_value& block, slurm_topology& topology) const {
        check_keys(block, "block", {"block_sizes", "blocks"});
        topology.block_sizes = names(find(block, "block_sizes"), "block_sizes");
        for (const json_value& item : list(needed(block, "blocks", "block"), "blocks")) {
            check_keys(item, "a block", {"block", "nodes"});
            topology.blocks.push_back({name(item, "block"), item.line, names(find(item, "nodes"), "nodes")});
            if (topology.blocks.back().nodes.empty()) topology.blocks.back().nodes.line = item.line;
        }
        if (topology.blocks.empty()) file_.refuse(block.line, "no block", "- block: NAME");
    }

    void check_once(const json_value& value, std::string_view name) const {
        const auto* members = value.as<json_value::object>();
        if (members == nullptr) file_.refuse(value.line, name, "no mapping", "KEY: VALUE");
        if (members->size() > 16) file_.refuse(value.line, name, fmt::format("{} keys", members->size()), "at most 16");
        for (const json_member& member : *members)
            if (find(value, member.key) != &member.value)
                file_.refuse(member.line, fmt::format("key {} twice in {}", json_text(member.key), name), "once");
    }
    void check_keys(const json_value& value, std::string_view name,
                    std::initializer_list<std::string_view> keys) const {
        check_once(value, name);
        for (const json_member& member : *value.as<json_value::object>())
            if (std::ranges::find(keys, member.key) == keys.end())
                file_.refuse(member.line, fmt::format("unknown key {} in {}", json_text(member.key), name),
                             fmt::format("{}", fmt::join(keys, ", ")));
    }
    const json_value& needed(const json_value& value, std::string_view key, std::string_view name) const {
        const json_value* found = find(value, key);
        if (found == nullptr) file_.refuse(value.line, key, "", fmt::format("a key of {}", name));
        return *found;
    }
    const json_value::list& list(const json_value& value, std::string_view name) const {
        const auto* items = value.as<json_value::list>();
        if (items == nullptr) file_.refuse(value.line, name, "no list", "- ITEM");
        return *items;
    }
    const std::string& text(const json_value& value, std::string_view name) const {
        const auto* content = value.as<std::string>();
        if (content == nullptr) file_.refuse(value.line, name, "no text", "a text");
        return *content;
    }
    std::string name(const json_value& value, std::string_view key) const {
        const json_value& found = needed(value, key, fmt::format("a {}", key));
        if (text(found, key).empty()) file_.refuse(found.line, key, "an empty text", "a name");
        return text(found, key);
    }
    /// Returns a text, or the texts of a list joined by commas; empty if there is none.
    slurm_list names(const json_value* value, std::string_view key) const {
        if (value == nullptr || value->is_null()) return {};
        const auto* items = value->as<json_value::list>();
        if (items == nullptr) return {text(*value, key), value->line};
        slurm_list joined{{}, value->line};
        for (const json_value& item : *items) {
            if (text(item, key).empty()) file_.refuse(item.line, key, "an empty text", "a name");
            (joined.text += joined.empty() ? "" : ",") += text(item, key);
        }
        return joined;
    }
    bool truth(const json_value& value, std::string_view name) const {
        std::string word = value.is_null() ? "" : text(value, name);
        std::ranges::transform(word, word.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        for (const std::string_view yes : {"true", "yes", "on"})
            if (word == yes) return true;
        for (const std::string_view no : {"false", "no", "off"})
            if (word == no) return false;
        file_.refuse(value.line, fmt::format("{}: {}", name, json_text(word.substr(0, 100))), "true, false");
    }

    const text_file& file_;
    json_value root_;
};

/// Reads the tree of one topology of a Slurm topology.yaml, in the format of Slurm 25.05: part.topology, or else the
/// first topology with cluster_default: true, or else the only one. Rates come from the defaults, as for a
/// topology.conf. Requires yaml-cpp. Throws input_error. Source: Slurm's manual page topology.yaml.
inline cluster read_slurm_yaml_cluster(const text_file& file, const cluster::defaults& defaults,
                                       const cluster::part& part = {}) {
    return detail::cluster_of(file, detail::slurm_yaml_reader(file).read(part.topology), defaults, part.switch_name);
}

}}}  // namespace collsched::COLLSCHED_ABI::detail
