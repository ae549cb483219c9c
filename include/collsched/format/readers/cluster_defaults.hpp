#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "collsched/format/cluster.hpp"
#include "collsched/format/readers/detail/rate_range.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// The options that give what a description lacks; where it lacks nothing they change nothing.
struct cluster::defaults {
    std::optional<double> overhead_us{};                                 ///< of a node
    std::optional<double> latency_us{}, bandwidth_MBps{};                ///< of a node's own link
    std::optional<double> uplink_latency_us{}, uplink_bandwidth_MBps{};  ///< of a switch's link upwards

    /// Throws if a value is out of range.
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

/// The part of a Slurm description that is read.
struct cluster::part {
    std::string topology{};     ///< a topology of a topology.yaml; empty: the default one
    std::string switch_name{};  ///< a switch, with everything below it; empty: the root
};

}}  // namespace collsched::COLLSCHED_ABI
