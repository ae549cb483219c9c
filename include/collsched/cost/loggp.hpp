#pragma once

#include <cstdint>

#include "collsched/core/byte_range.hpp"
#include "collsched/core/checked.hpp"
#include "collsched/core/argument_error.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/cost/picoseconds.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

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

}}  // namespace collsched::COLLSCHED_ABI
