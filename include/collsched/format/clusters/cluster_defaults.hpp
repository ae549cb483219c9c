#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "collsched/format/clusters/cluster.hpp"
#include "collsched/format/files/detail/rate_range.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Values for what a cluster description omits. They do not override values of the description.
struct cluster::defaults {
    std::optional<double> overhead_us{};        ///< overhead of a node, in microseconds
    std::optional<double> latency_us{},         ///< latency of the link of a node, in microseconds
        bandwidth_MBps{};                       ///< bandwidth of the link of a node, in 10^6 bytes per second
    std::optional<double> uplink_latency_us{},  ///< latency of the link from a switch to its parent
        uplink_bandwidth_MBps{};                ///< bandwidth of the link from a switch to its parent

    /// Throws an exception if a value is out of range.
    void check() const {
        check("overhead_us", overhead_us, detail::range_us);
        check("latency_us", latency_us, detail::range_us);
        check("uplink_latency_us", uplink_latency_us, detail::range_us);
        check("bandwidth_MBps", bandwidth_MBps, detail::range_MBps);
        check("uplink_bandwidth_MBps", uplink_bandwidth_MBps, detail::range_MBps);
    }

  private:
    static void check(std::string_view option, const std::optional<double>& value, const detail::rate_range& range) {
        if (value && !range.holds(*value))
            throw input_error({.argument = std::string(option),
                               .value = fmt::format("{}", *value),
                               .expected = std::string(range.text)});
    }
};

/// The selected part of a Slurm description.
struct cluster::part {
    std::string topology{};     ///< name of a topology in topology.yaml; empty: the default topology
    std::string switch_name{};  ///< switch whose subtree is read; empty: the root
};

}}  // namespace collsched::COLLSCHED_ABI
