#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/ranges.h>

#include "collsched/format/clusters/cluster.hpp"
#include "collsched/format/clusters/detail/conf_records.hpp"
#include "collsched/format/clusters/detail/slurm_switches.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Returns the cluster of a topology that has switches or blocks.
inline cluster cluster_of(const text_file& file, const slurm_topology& topology, const cluster::defaults& defaults,
                          const std::string& below) {
    defaults.check();
    const slurm_costs costs(file, defaults);
    if (!topology.blocks.empty() && !below.empty())
        throw input_error({"switch_name", json_text(below), "none with topology/block, which has no switches"});
    cluster result = topology.blocks.empty() ? slurm_tree(file, topology, costs).build(below)
                                             : slurm_blocks(file, topology, costs).build();
    result.set_intra_nodes({defaults.intra_node()});
    return result;
}

/// Reads the lines of a topology.conf.
class slurm_conf_reader {
  public:
    explicit slurm_conf_reader(const text_file& file) : file_(file) {}

    slurm_topology read() {
        topology_.name = std::filesystem::path(file_.name).stem().string();
        for (const conf_record& record : conf_records(file_)) add(record);
        if (topology_.switches.empty() && topology_.blocks.empty())
            file_.refuse(topology_.block_sizes.line, "no switch and no block",
                         "lines SwitchName=NAME Nodes=LIST or Switches=LIST, or lines BlockName=NAME Nodes=LIST");
        return std::move(topology_);
    }

  private:
    void add(const conf_record& record) {
        for (const conf_setting& setting : record) refuse_other_plugins(setting);
        if (std::max(topology_.switches.size(), topology_.blocks.size()) == most_nodes)
            file_.refuse(record.front().line, "too many switches or blocks", "at most 2^20");
        if (has(record, "BlockSizes")) return add_sizes(record);
        if (has(record, "BlockName")) return add_block(record);
        add_switch(record);
    }

    static bool has(const conf_record& record, std::string_view key) {
        return std::ranges::any_of(record, [&](const conf_setting& s) { return is_keyword(s.key, key); });
    }
    void refuse_other_plugins(const conf_setting& setting) const {
        if (is_keyword(setting.key, "RingName"))
            file_.refuse(setting.line, "RingName of topology/ring", "topology/tree, topology/block");
        for (const std::string_view key : {"TopologyPlugin", "TopologyParam"})
            if (is_keyword(setting.key, key))
                file_.refuse(setting.line, fmt::format("{} of slurm.conf", key), "the settings of a topology.conf");
    }

    /// Returns the values of these keys, in their order. Each key occurs at most once; other keys are errors.
    template <std::size_t N>
    std::vector<std::optional<slurm_list>> values(const conf_record& record, const std::string_view (&keys)[N]) const {
        std::vector<std::optional<slurm_list>> found(N);
        for (const conf_setting& setting : record) {
            const auto index = static_cast<std::size_t>(
                std::ranges::find_if(keys, [&](std::string_view key) { return is_keyword(setting.key, key); }) - keys);
            if (index == N)
                file_.refuse(setting.line, json_text(setting.key), fmt::format("{}", fmt::join(keys, ", ")));
            if (found[index]) file_.refuse(setting.line, json_text(setting.key) + " twice", "once per line");
            found[index] = slurm_list{setting.value, setting.line};
        }
        return found;
    }

    void add_switch(const conf_record& record) {
        const auto found = values(record, {"SwitchName", "Nodes", "Switches", "LinkSpeed"});
        const int line = record.front().line;
        if (!found[0] || found[0]->empty()) file_.refuse(line, "no SwitchName", "SwitchName=NAME in every line");
        if (!topology_.blocks.empty() || !topology_.block_sizes.empty()) refuse_mixture(line);
        topology_.switches.push_back(
            {found[0]->text, line, found[1].value_or(slurm_list{}), found[2].value_or(slurm_list{})});
    }
    void add_block(const conf_record& record) {
        const auto found = values(record, {"BlockName", "Nodes"});
        const int line = record.front().line;
        if (found[0]->empty()) file_.refuse(line, "no BlockName", "BlockName=NAME");
        if (!topology_.switches.empty()) refuse_mixture(line);
        topology_.blocks.push_back({found[0]->text, line, found[1].value_or(slurm_list{{}, line})});
    }
    void add_sizes(const conf_record& record) {
        const auto found = values(record, {"BlockSizes"});
        const int line = record.front().line;
        if (!topology_.switches.empty()) refuse_mixture(line);
        if (!topology_.block_sizes.empty()) file_.refuse(line, "BlockSizes twice", "once");
        if (found[0]->empty()) file_.refuse(line, "no size", "BlockSizes=NUMBERS");
        topology_.block_sizes = *found[0];
    }
    [[noreturn]] void refuse_mixture(int line) const {
        file_.refuse(line, "switches and blocks", "topology/tree or topology/block, not both");
    }

    const text_file& file_;
    slurm_topology topology_;
};

/// Reads the tree of switches or blocks of a Slurm topology.conf. The file has no rates: the defaults must contain
/// overhead_us, latency_us and bandwidth_MBps, and for several switches or blocks uplink_latency_us and
/// uplink_bandwidth_MBps. LinkSpeed is ignored, as in Slurm. Throws input_error. Source: Slurm's manual page
/// topology.conf.
inline cluster read_slurm_cluster(const text_file& file, const cluster::defaults& defaults,
                                  const cluster::part& part = {}) {
    if (!part.topology.empty())
        throw input_error({"topology", json_text(part.topology), "none without a Slurm topology.yaml"});
    return detail::cluster_of(file, detail::slurm_conf_reader(file).read(), defaults, part.switch_name);
}

}}}  // namespace collsched::COLLSCHED_ABI::detail
