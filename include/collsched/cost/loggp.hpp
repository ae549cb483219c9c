#pragma once

#include <cstdint>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/byte_range.hpp"
#include "collsched/core/checked.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/cost/concepts.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Hockney's model: a message of m bytes takes alpha + m beta and occupies its sender for that time. Receiving, copies
/// and combinations are free. Source: Hockney 1994.
struct hockney_model {
    picoseconds alpha_ps = 0;  ///< duration of a message without bytes
    std::int64_t beta_fs = 0;  ///< femtoseconds per byte

    /// Returns alpha + m beta.
    /// @param m  bytes, 0 or more
    constexpr checked message(bytes_t m) const { return checked(alpha_ps) + time_at(m, beta_fs); }

    constexpr checked sending(rank_t, rank_t, bytes_t m, bool) const { return message(m); }
    constexpr checked connection(bool) const { return 0; }
    constexpr checked stream(bytes_t) const { return 0; }
    constexpr checked gap() const { return 0; }
    constexpr checked flight(rank_t, rank_t) const { return 0; }
    constexpr checked receiving(rank_t, rank_t, bool) const { return 0; }
    constexpr checked copy(bytes_t) const { return 0; }
    constexpr checked combine(bytes_t) const { return 0; }

    /// Returns the first negative parameter as an error, or no error.
    constexpr argument_error check() const {
        if (alpha_ps < 0) return {"alpha", alpha_ps, "0 ps or more"};
        if (beta_fs < 0) return {"beta", beta_fs, "0 fs per byte or more"};
        return {};
    }
    bool operator==(const hockney_model&) const = default;
};

/// LogGP model with equal costs for all pairs of ranks, extended by costs per byte of local copies and combinations and
/// by the cost of a connection.
///
/// A single message of m bytes takes o + (m-1) G + L + o. A signal costs as much as a message of one byte. Source:
/// Alexandrov, Ionescu, Schauser, Scheiman 1995.
struct loggp_model {
    picoseconds latency_ps = 0;         ///< L: transit time of a byte in the network
    picoseconds overhead_ps = 0;        ///< o: processor time of a message at each end
    picoseconds gap_ps = 0;             ///< g: from the last byte of a message to the first of the next, at either end
    std::int64_t byte_fs = 0;           ///< G: femtoseconds from a byte of a message to the next
    std::int64_t copy_fs = 100'000;     ///< femtoseconds per byte of a local copy: 10 GB/s
    std::int64_t combine_fs = 200'000;  ///< femtoseconds per byte of a combination: 5 GB/s
    picoseconds connection_ps = 0;      ///< added at both ends to the first message of a pair

    /// Returns the first negative parameter as an error, or no error.
    constexpr argument_error check() const {
        if (latency_ps < 0) return {"L", latency_ps, "0 ps or more"};
        if (overhead_ps < 0) return {"o", overhead_ps, "0 ps or more"};
        if (gap_ps < 0) return {"g", gap_ps, "0 ps or more"};
        if (byte_fs < 0) return {"G", byte_fs, "0 fs per byte or more"};
        if (copy_fs < 0) return {"copy", copy_fs, "0 fs per byte or more"};
        if (combine_fs < 0) return {"combine", combine_fs, "0 fs per byte or more"};
        if (connection_ps < 0) return {"connection", connection_ps, "0 ps or more"};
        return {};
    }

    /// Returns (m-1) G: the time from the first to the last byte of a message.
    /// @param m  bytes, 0 or more
    constexpr checked stream(bytes_t m) const { return detail::stream_at(m, byte_fs); }
    constexpr checked gap() const { return gap_ps; }
    /// Returns L.
    constexpr checked flight(rank_t, rank_t) const { return latency_ps; }
    /// Returns the connection time if the message is the first of its ordered pair, else 0.
    /// @param opens  whether the message is the first of its ordered pair
    constexpr checked connection(bool opens) const { return opens ? connection_ps : 0; }
    /// Returns connection(opens) + o: the processor time of a message at each end.
    /// @param opens  whether the message is the first of its ordered pair
    constexpr checked processor(bool opens) const { return connection(opens) + overhead_ps; }
    constexpr checked sending(rank_t, rank_t, bytes_t, bool opens) const { return processor(opens); }
    constexpr checked receiving(rank_t, rank_t, bool opens) const { return processor(opens); }
    /// Returns o + (m-1) G + L + o: the duration of one message over an open connection.
    /// @param m  bytes, 0 or more
    constexpr checked message(bytes_t m) const { return processor(false) + stream(m) + latency_ps + overhead_ps; }
    constexpr checked copy(bytes_t m) const { return time_at(m, copy_fs); }
    constexpr checked combine(bytes_t m) const { return time_at(m, combine_fs); }

    bool operator==(const loggp_model&) const = default;
};

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
