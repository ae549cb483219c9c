#pragma once

#include <cstdint>

#include "collsched/core/byte_range.hpp"
#include "collsched/core/checked.hpp"
#include "collsched/core/argument_error.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/cost/picoseconds.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// The LogGP model: what messages cost the two processors and the network between them, every pair alike; and, beyond
/// LogGP, what a byte costs that a rank copies or combines itself, and what it costs to connect.
///
/// One message of m bytes, alone: o + (m-1) G + L + o. A signal, which has no bytes, costs what one byte costs.
/// Source: Alexandrov, Ionescu, Schauser, Scheiman 1995.
struct loggp_model {
    picoseconds latency_ps = 0;         ///< L: a byte's way through the network
    picoseconds overhead_ps = 0;        ///< o: the processor's time for a message, at either end
    picoseconds gap_ps = 0;             ///< g: from the last byte of a message to the first of the next, at either end
    std::int64_t byte_fs = 0;           ///< G: femtoseconds from a byte of a message to the next
    std::int64_t copy_fs = 100'000;     ///< femtoseconds a byte of a local copy: 10 GB/s
    std::int64_t combine_fs = 200'000;  ///< femtoseconds a byte of a combination: 5 GB/s
    picoseconds connection_ps = 0;      ///< the first message of an ordered pair takes both processors this much longer

    constexpr argument_error check() const {
        if (latency_ps < 0) return {"L", latency_ps, "0 ps or more"};
        if (overhead_ps < 0) return {"o", overhead_ps, "0 ps or more"};
        if (gap_ps < 0) return {"g", gap_ps, "0 ps or more"};
        if (byte_fs < 0) return {"G", byte_fs, "0 fs a byte or more"};
        if (copy_fs < 0) return {"copy", copy_fs, "0 fs a byte or more"};
        if (combine_fs < 0) return {"combine", combine_fs, "0 fs a byte or more"};
        if (connection_ps < 0) return {"connection", connection_ps, "0 ps or more"};
        return {};
    }

    /// (m-1) G: from the first byte of a message to its last.
    constexpr checked stream(bytes_t m) const { return m <= 1 ? checked(0) : time_at(m - 1, byte_fs); }
    constexpr checked gap() const { return gap_ps; }
    /// L: every pair alike.
    constexpr checked flight(rank_t, rank_t) const { return latency_ps; }
    /// What a message needs before anything else: its connection, if it is the first of its ordered pair.
    constexpr checked connection(bool opens) const { return opens ? connection_ps : 0; }
    /// The connection and o: how long a message keeps a processor, at either end.
    constexpr checked processor(bool opens) const { return connection(opens) + overhead_ps; }
    constexpr checked sending(rank_t, rank_t, bytes_t, bool opens) const { return processor(opens); }
    constexpr checked receiving(rank_t, rank_t, bool opens) const { return processor(opens); }
    /// o + (m-1) G + L + o: one message, alone, over a connection that is there.
    constexpr checked message(bytes_t m) const { return processor(false) + stream(m) + latency_ps + overhead_ps; }
    constexpr checked copy(bytes_t m) const { return time_at(m, copy_fs); }
    constexpr checked combine(bytes_t m) const { return time_at(m, combine_fs); }

    bool operator==(const loggp_model&) const = default;
};

}}  // namespace collsched::COLLSCHED_ABI
