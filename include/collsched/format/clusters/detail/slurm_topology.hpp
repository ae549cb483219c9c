#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collsched/format/clusters/cluster.hpp"
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

}}}  // namespace collsched::COLLSCHED_ABI::detail
