#pragma once

#include <cstdint>
#include <utility>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/simulate/link_network.hpp"
#include "collsched/cost/picoseconds.hpp"
#include "collsched/topology/placement.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// A model of messages that share links. A message waits for the latencies of its route. Then its bytes pass all links
/// of the route at the same time, at a rate that depends on the other messages on these links. Rates are max-min fair:
/// no rate can increase without a decrease of a rate that is equal or smaller. Messages between ranks on one node take
/// no time.
///
/// A processor is busy for its node's overhead per message at either end, and for `copy_fs` and `combine_fs` per byte
/// copied and combined. Messages of up to `eager_bytes` depart when they are sent, and their senders continue. Larger
/// messages wait for the receiver, and the sender waits for their last byte.
///
/// With `latency_weighted` the share of a message is inversely proportional to the latency of its route, as among TCP
/// connections. With `reverse_permille` a message also uses this fraction of its rate in the reverse direction, for
/// acknowledgements.
/// Source: the flow model of SimGrid (its network model CM02).
struct contention_model {
    link_network net{};                       ///< nodes, links and routes
    topology::placement placement{};          ///< node of each rank
    owned_array<picoseconds> overheads_ps{};  ///< per node; empty: all 0
    std::int64_t copy_fs = 0,                 ///< femtoseconds per byte of a local copy, 0 or more
        combine_fs = 0;                       ///< femtoseconds per byte of a combination, 0 or more
    bytes_t eager_bytes = 65536;              ///< largest message that departs when it is sent, 0 or more
    std::int64_t reverse_permille = 0;        ///< thousandths of the rate that a message uses in reverse, 0 .. 1000
    std::int64_t latency_weighted = 0;        ///< 0 or 1

    /// Returns the number of ranks.
    rank_t ranks() const { return placement.ranks(); }
    /// Returns the processor time of a message at one end.
    /// @param r  rank, 0 .. ranks()-1
    /// @return picoseconds, 0 or more
    picoseconds overhead(rank_t r) const { return overheads_ps.empty() ? 0 : overheads_ps[placement.node(r)]; }
    /// Returns the first error in placement, network or parameters, or no error. O(nodes).
    argument_error check() const {
        if (argument_error error = placement.check()) return error;
        if (argument_error error = net.check()) return error;
        if (net.nodes() < 1) return {"links", 0, "a network with links"};
        if (placement.nodes() != net.nodes())
            return {"nodes", placement.nodes(), "as many in the placement as in the network"};
        if (!overheads_ps.empty() && overheads_ps.size() != net.nodes())
            return {"overheads_ps", overheads_ps.size(), "one for each node, or none"};
        for (rank_t c = 0; c < overheads_ps.size(); ++c)
            if (overheads_ps[c] < 0) return {"overheads_ps", overheads_ps[c], "0 ps or more", c};
        if (copy_fs < 0) return {"copy_fs", copy_fs, "0 fs or more"};
        if (combine_fs < 0) return {"combine_fs", combine_fs, "0 fs or more"};
        if (eager_bytes < 0) return {"eager_bytes", eager_bytes, "0 bytes or more"};
        if (latency_weighted != 0 && latency_weighted != 1) return {"latency_weighted", latency_weighted, "0 or 1"};
        if (reverse_permille < 0 || reverse_permille > 1000) return {"reverse_permille", reverse_permille, "0 to 1000"};
        return {};
    }
};

}}  // namespace collsched::COLLSCHED_ABI
