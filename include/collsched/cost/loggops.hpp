#pragma once

#include <cstdint>

#include "collsched/core/byte_range.hpp"
#include "collsched/core/checked.hpp"
#include "collsched/core/argument_error.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// The LogGOPS model, in whole nanoseconds as its simulator counts: LogGP, a processor's time for each byte of a message,
/// and a size from which a message waits for its receiver. Every pair of ranks is alike, and a rank has one processor and
/// one network interface. The defaults are those of LogGOPSim.
///
/// Source: Hoefler, Schneider, Lumsdaine 2010.
struct loggops_model {
    std::int64_t latency_ns = 2500;     ///< L: the first byte's way through the network
    std::int64_t overhead_ns = 1500;    ///< o: the processor's time for a message, at either end
    std::int64_t gap_ns = 1000;         ///< g: the interface's time for a message, at either end
    std::int64_t byte_gap_ns = 6;       ///< G: and for every byte after its first
    std::int64_t byte_overhead_ns = 0;  ///< O: the processor's time for every byte after its first
    bytes_t eager_bytes = 65535;        ///< S: a longer message is complete at its sender when it has met its receive

    constexpr argument_error check() const {
        if (latency_ns < 0) return {"L", latency_ns, "0 ns or more"};
        if (overhead_ns < 0) return {"o", overhead_ns, "0 ns or more"};
        if (gap_ns < 0) return {"g", gap_ns, "0 ns or more"};
        if (byte_gap_ns < 0) return {"G", byte_gap_ns, "0 ns a byte or more"};
        if (byte_overhead_ns < 0) return {"O", byte_overhead_ns, "0 ns a byte or more"};
        if (eager_bytes < 0) return {"S", eager_bytes, "0 bytes or more"};
        return {};
    }

    constexpr bool waits_for_receiver(bytes_t m) const { return m > eager_bytes; }
    /// o + (m-1) O: how long the sender's processor has to do with a message of m >= 1 bytes.
    constexpr checked sending(bytes_t m) const { return checked(overhead_ns) + checked(m - 1) * byte_overhead_ns; }
    /// o + max((m-1) O, (m-1) G): the receiver's.
    constexpr checked receiving(bytes_t m) const {
        return checked(overhead_ns) +
               checked(m - 1) * (byte_overhead_ns < byte_gap_ns ? byte_gap_ns : byte_overhead_ns);
    }
    /// g + (m-1) G: the interface's, at either end.
    constexpr checked interface(bytes_t m) const { return checked(gap_ns) + checked(m - 1) * byte_gap_ns; }
    /// o + L: from the start of a send to the first byte's arrival.
    constexpr checked arrival() const { return checked(overhead_ns) + latency_ns; }

    bool operator==(const loggops_model&) const = default;
};

}}  // namespace collsched::COLLSCHED_ABI
