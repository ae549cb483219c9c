#pragma once

#include <functional>
#include <vector>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/edge.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/topology/network.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// A model of a network whose links carry one transfer at a time. An edge of a schedule is one transfer, which moves as a
/// whole from vertex to vertex of its path. A link is occupied for bytes / bandwidth, and the transfer reaches the next
/// vertex one latency later. With `latency_occupies` the link is occupied for the latency too.
///
/// A free link takes, of the transfers that wait for it, one of the smallest step, and of these the first that arrived.
/// A transfer takes the one of parallel links where it ends first. Processors, copies and combinations take no time. A send is complete when its last byte has left
/// the rank.
/// Source: the cost model of TACOS (Won et al. 2024), which has latency_occupies, and of TE-CCL (Liu et al. 2024).
struct link_queue_model {
    /// Appends the vertices of the path of an edge, from src to dst, or nothing.
    using router = std::function<void(const edge& e, std::vector<rank_t>& path)>;

    topology::network net{};        ///< ranks, switches and links
    router paths{};                 ///< paths of edges; empty, or for an edge without one: a shortest path
    bool latency_occupies = false;  ///< whether a link is occupied for its latency too

    /// Returns the number of ranks.
    rank_t ranks() const { return net.ranks(); }
    /// Returns the error of the network.
    argument_error check() const {
        if (argument_error error = net.check()) return error;
        if (net.ranks() < 1) return {"ranks", net.ranks(), "a network with ranks"};
        return {};
    }
};

}}  // namespace collsched::COLLSCHED_ABI
