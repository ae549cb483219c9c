#pragma once

#include <optional>
#include <string_view>

#include "collsched/format/cluster.hpp"
#include "collsched/format/readers/rate_range.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// The options that give what a description lacks; where it lacks nothing they change nothing.
struct cluster_defaults {
    std::optional<double> overhead_us{};                                 ///< of a node
    std::optional<double> latency_us{}, bandwidth_MBps{};                ///< of a node's own link
    std::optional<double> uplink_latency_us{}, uplink_bandwidth_MBps{};  ///< of a switch's link upwards

    /// Throws if a value is out of range.
    void check() const {
        check("overhead_us", overhead_us, accepted_us);
        check("latency_us", latency_us, accepted_us);
        check("uplink_latency_us", uplink_latency_us, accepted_us);
        check("bandwidth_MBps", bandwidth_MBps, accepted_MBps);
        check("uplink_bandwidth_MBps", uplink_bandwidth_MBps, accepted_MBps);
    }

  private:
    static void check(std::string_view option, const std::optional<double>& value, const rate_range& range) {
        if (value && !range.holds(*value))
            throw input_error(fmt::format("{} = {} (accepted: {})", option, *value, range.text));
    }
};

}}  // namespace collsched::COLLSCHED_ABI
