#pragma once

#include <cstdint>

#include "collsched/core/byte_range.hpp"
#include "collsched/core/checked.hpp"
#include "collsched/core/argument_error.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// LogGOPS model in nanoseconds, as in LogGOPSim: LogGP with processor time per byte and with a size above which a
/// message waits for its receiver. All pairs of ranks are equal; a rank has one processor and one network interface.
/// Defaults are those of LogGOPSim.
///
/// Source: Hoefler, Schneider, Lumsdaine 2010.
struct loggops_model {
    std::int64_t latency_ns = 2500;     ///< L: transit time of the first byte
    std::int64_t overhead_ns = 1500;    ///< o: processor time of a message at each end
    std::int64_t gap_ns = 1000;         ///< g: interface time of a message at each end
    std::int64_t byte_gap_ns = 6;       ///< G: interface time per byte after the first
    std::int64_t byte_overhead_ns = 0;  ///< O: processor time per byte after the first
    bytes_t eager_bytes = 65535;        ///< S: a longer message completes at its sender after the receive is posted

    /// Returns the first negative parameter as an error, or no error.
    constexpr argument_error check() const {
        if (latency_ns < 0) return {"L", latency_ns, "0 ns or more"};
        if (overhead_ns < 0) return {"o", overhead_ns, "0 ns or more"};
        if (gap_ns < 0) return {"g", gap_ns, "0 ns or more"};
        if (byte_gap_ns < 0) return {"G", byte_gap_ns, "0 ns per byte or more"};
        if (byte_overhead_ns < 0) return {"O", byte_overhead_ns, "0 ns per byte or more"};
        if (eager_bytes < 0) return {"S", eager_bytes, "0 bytes or more"};
        return {};
    }

    /// Returns whether a message of m bytes uses the rendezvous protocol: m > S.
    /// @param m  bytes, 0 or more
    constexpr bool waits_for_receiver(bytes_t m) const { return m > eager_bytes; }
    /// Returns o + (m-1) O: the sender's processor time.
    /// @pre m >= 1
    /// @param m  bytes
    constexpr checked sending(bytes_t m) const { return checked(overhead_ns) + checked(m - 1) * byte_overhead_ns; }
    /// Returns o + max((m-1) O, (m-1) G): the receiver's processor time.
    /// @pre m >= 1
    /// @param m  bytes
    constexpr checked receiving(bytes_t m) const {
        return checked(overhead_ns) +
               checked(m - 1) * (byte_overhead_ns < byte_gap_ns ? byte_gap_ns : byte_overhead_ns);
    }
    /// Returns g + (m-1) G: the interface time at each end.
    /// @pre m >= 1
    /// @param m  bytes
    constexpr checked interface(bytes_t m) const { return checked(gap_ns) + checked(m - 1) * byte_gap_ns; }
    /// Returns o + L: the time from the start of a send to the arrival of the first byte.
    constexpr checked arrival() const { return checked(overhead_ns) + latency_ns; }

    bool operator==(const loggops_model&) const = default;
};

}}  // namespace collsched::COLLSCHED_ABI
