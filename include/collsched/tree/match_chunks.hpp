#pragma once

#include <cstdint>
#include <utility>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/byte_range.hpp"
#include "collsched/core/checked.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/topology/network.hpp"
#include "collsched/tree/detail/chunk_matching.hpp"
#include "collsched/tree/detail/link_times.hpp"
#include "collsched/tree/transfer_plan.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace trees {

/// Parameters of match_chunks.
struct matching_parameters {
    bytes_t bytes = 1;           ///< per chunk, 1 or more
    std::int64_t parts = 1;      ///< chunks per rank, 1 or more
    bool latency_holds = false;  ///< whether a chunk occupies a link for its latency too
    std::int64_t trials = 4;     ///< runs with different random numbers, 1 or more
};

/// Transfers of an allgather, and a bound of their time.
struct matched_chunks {
    transfer_plan plan;      ///< the fastest of all trials
    std::int64_t bound = 0;  ///< picoseconds within which no transfers of these chunks complete
    argument_error error;    ///< wrong arguments, ranks that are not connected, or an overflow; then without a plan
};

/// Matches chunks of an allgather to the links of a network, for messages in which latency counts. Time goes from one
/// moment to the next at which a link is free or a chunk arrives. Every free path brings a chunk to a rank that lacks it,
/// the rarest one first. Switches send on a chunk when all of it has arrived, at once, and keep nothing.
///
/// A chunk takes ceil(bytes / bandwidth) on a link and arrives after its latency. The link is free after both, or, without
/// `latency_holds`, before the latency. All times are whole picoseconds.
///
/// The trials end when one attains the bound: the time within which the links into each rank can bring all chunks. The
/// result depends on the arguments alone.
///
/// Failure: `error` is set for a wrong network or number, for more than 2^28 transfers or 2^62 picoseconds, and for ranks
/// that are not connected: "vertex", with a rank that some other rank does not reach. Complexity: per trial, about O(links + chunks / 64) for each link and time at which it is
/// free. Memory: 8 bytes per rank and chunk, and 100 bytes per transfer and link.
/// Source: Won et al. 2024, "TACOS: topology-aware collective algorithm synthesizer for distributed machine learning".
/// @param net         network of 1 rank or more
/// @param parameters  size and number of chunks, rule of latency, and number of trials
constexpr matched_chunks match_chunks(const topology::network& net, const matching_parameters& parameters) {
    if (net.check()) return {{}, 0, net.check()};
    if (net.ranks() < 1) return {{}, 0, {"ranks", net.ranks(), "1 or more"}};
    if (parameters.bytes < 1) return {{}, 0, {"bytes", parameters.bytes, "1 byte or more"}};
    if (parameters.parts < 1) return {{}, 0, {"parts", parameters.parts, "1 or more"}};
    if (parameters.trials < 1) return {{}, 0, {"trials", parameters.trials, "1 or more"}};
    const checked transfers = checked(net.ranks()) * net.ranks() * parameters.parts;
    if (!transfers.ok() || transfers.value() > 1 << 28)
        return {{}, 0, {"parts", parameters.parts, "at most 2^28 chunks at all ranks together"}};
    const detail::link_times times(net, parameters.bytes, parameters.latency_holds, transfers.value());
    if (times.error) return {{}, 0, times.error};
    matched_chunks best{{}, detail::ingress_bound(net, times.of, (net.ranks() - 1) * parameters.parts), {}};
    std::int64_t least = INT64_MAX;
    for (std::int64_t trial = 0; trial < parameters.trials && (trial == 0 || least > best.bound); ++trial) {
        detail::chunk_matching matching(net, times.of, parameters.parts, static_cast<std::uint64_t>(trial));
        if (const rank_t r = matching.run(); r >= 0) return {{}, 0, {"vertex", r, "a rank that all ranks reach"}};
        if (const std::int64_t time = matching.plan().completion(); time < least)
            least = time, best.plan = std::move(matching.plan());
    }
    return best;
}

}}}  // namespace collsched::COLLSCHED_ABI::trees
