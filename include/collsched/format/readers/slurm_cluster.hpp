#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collsched/format/readers/cluster_builder.hpp"
#include "collsched/format/readers/cluster_defaults.hpp"
#include "collsched/format/readers/conf_records.hpp"
#include "collsched/format/readers/host_list.hpp"

namespace collsched::inline v0_1 {

namespace detail {

class slurm_reader {
  public:
    slurm_reader(const text_file& file, const cluster_defaults& defaults)
        : file_(file), defaults_(defaults), builder_(file) {}

    cluster read() {
        defaults_.check();
        for (const conf_record& record : conf_records(file_)) add_switch(record);
        if (switches_.empty()) file_.refuse(1, "no switch", "lines SwitchName=NAME Nodes=LIST or Switches=LIST");
        join();
        number_from(find_root());
        add_nodes();
        return builder_.build(std::filesystem::path(file_.name).stem().string());
    }

  private:
    struct list {
        std::string text;
        int line = 0;
    };
    struct one_switch {
        std::string name;
        int line = 0;
        std::optional<list> nodes, switches;
        std::optional<std::size_t> parent{};
        std::vector<std::size_t> children{};
        rank_t number = -1;
    };

    static bool is(std::string_view key, std::string_view word) {
        return std::equal(key.begin(), key.end(), word.begin(), word.end(),
                          [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); });
    }

    void add_switch(const conf_record& record) {
        std::optional<list> name, nodes, switches, speed;
        const std::pair<std::string_view, std::optional<list>*> keys[] = {
            {"SwitchName", &name}, {"Nodes", &nodes}, {"Switches", &switches}, {"LinkSpeed", &speed}};
        for (const conf_setting& setting : record) {
            const auto* known =
                std::find_if(std::begin(keys), std::end(keys), [&](const auto& k) { return is(setting.key, k.first); });
            if (known == std::end(keys))
                file_.refuse(setting.line, json_text(setting.key), "SwitchName, Nodes, Switches, LinkSpeed");
            if (*known->second) file_.refuse(setting.line, json_text(setting.key) + " twice", "once in a line");
            *known->second = {setting.value, setting.line};
        }
        const int line = record.front().line;
        if (!name) file_.refuse(line, "no SwitchName", "SwitchName=NAME in every line");
        if (!nodes && !switches)
            file_.refuse(line, "switch " + json_text(name->text) + " is empty", "Nodes=LIST or Switches=LIST");
        if (!numbers_.emplace(name->text, switches_.size()).second)
            file_.refuse(line, "switch " + json_text(name->text) + " twice", "every switch once");
        switches_.push_back({name->text, line, nodes, switches});
    }

    /// Finds the parent of every switch.
    void join() {
        for (std::size_t s = 0; s < switches_.size(); ++s) {
            if (!switches_[s].switches) continue;
            const int line = switches_[s].switches->line;
            for (const std::string& name : expand_host_list(switches_[s].switches->text, {file_, line})) {
                const auto found = numbers_.find(name);
                if (found == numbers_.end())
                    file_.refuse(line, "unknown switch " + json_text(name), "a SwitchName of this file");
                one_switch& child = switches_[found->second];
                if (child.parent)
                    file_.refuse(line,
                                 fmt::format("switch {} under {} and {}", json_text(name),
                                             json_text(switches_[*child.parent].name), json_text(switches_[s].name)),
                                 "under one switch");
                child.parent = s;
                switches_[s].children.push_back(found->second);
            }
        }
    }

    std::size_t find_root() const {
        std::optional<std::size_t> root;
        for (std::size_t s = 0; s < switches_.size(); ++s) {
            if (switches_[s].parent) continue;
            if (root)
                file_.refuse(switches_[s].line,
                             fmt::format("switches {} and {} are not connected", json_text(switches_[*root].name),
                                         json_text(switches_[s].name)),
                             "one switch above all others");
            root = s;
        }
        if (!root) refuse_circle(0);
        return *root;
    }

    /// What hangs on no root is below a circle. Names the first of the circle's switches.
    [[noreturn]] void refuse_circle(std::size_t below) const {
        for (std::size_t i = 0; i < switches_.size(); ++i) below = *switches_[below].parent;
        std::size_t first = below;
        for (std::size_t s = *switches_[below].parent; s != below; s = *switches_[s].parent) first = std::min(first, s);
        file_.refuse(switches_[first].switches->line,
                     "switch " + json_text(switches_[first].name) + " stands under itself", "a tree of switches");
    }

    /// Level by level, so that a switch has a greater number than what it hangs on.
    void number_from(std::size_t root) {
        std::vector<std::size_t> order{root};
        for (std::size_t i = 0; i < order.size(); ++i) {
            one_switch& s = switches_[order[i]];
            const bool is_root = i == 0;
            const rank_t parent = is_root ? -1 : switches_[*s.parent].number;
            s.number = builder_.add_equipment(s.name, parent, is_root ? link_cost{} : uplink(s), s.line);
            order.insert(order.end(), s.children.begin(), s.children.end());
        }
        if (order.size() == switches_.size()) return;
        for (std::size_t s = 0; s < switches_.size(); ++s)
            if (switches_[s].number < 0) refuse_circle(s);
    }

    double option(const std::optional<double>& value, std::string_view name, const std::string& who, int line) const {
        if (!value)
            file_.refuse(line, fmt::format("no {} for {}", name, json_text(who)), fmt::format("the option {}", name));
        return *value;
    }
    link_cost uplink(const one_switch& s) const {
        return {ps_of_us(option(defaults_.uplink_latency_us, "uplink_latency_us", s.name, s.line)),
                byte_fs_of(option(defaults_.uplink_bandwidth_MBps, "uplink_bandwidth_MBps", s.name, s.line))};
    }
    void add_nodes() {
        for (const one_switch& s : switches_) {
            if (!s.nodes) continue;
            const int line = s.nodes->line;
            for (const std::string& node : expand_host_list(s.nodes->text, {file_, line})) {
                const picoseconds overhead = ps_of_us(option(defaults_.overhead_us, "overhead_us", node, line));
                const link_cost own{ps_of_us(option(defaults_.latency_us, "latency_us", node, line)),
                                    byte_fs_of(option(defaults_.bandwidth_MBps, "bandwidth_MBps", node, line))};
                builder_.add_computer(node, s.number, overhead, own, line);
            }
        }
    }

    const text_file& file_;
    const cluster_defaults& defaults_;
    cluster_builder builder_;
    std::vector<one_switch> switches_;
    std::unordered_map<std::string, std::size_t> numbers_;
};

}  // namespace detail

/// The tree of switches of a Slurm topology.conf. It tells no rates: overhead_us, latency_us and bandwidth_MBps must be
/// given, and where a switch hangs on another, uplink_latency_us and uplink_bandwidth_MBps. LinkSpeed is passed over,
/// as by Slurm. Throws input_error. Source: Slurm's manual page topology.conf.
inline cluster read_slurm_cluster(const text_file& file, const cluster_defaults& defaults) {
    return detail::slurm_reader(file, defaults).read();
}

}  // namespace collsched::inline v0_1
