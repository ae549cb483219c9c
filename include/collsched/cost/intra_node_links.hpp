#pragma once

#include <cstdint>
#include <initializer_list>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/cost/concepts.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Cost of one link: latency, and femtoseconds per byte. Rate 0: the link does not limit the bandwidth of a path.
struct link_cost {
    picoseconds latency_ps = 0;  ///< latency, 0 or more
    std::int64_t byte_fs = 0;    ///< femtoseconds per byte, 0 or more
    bool operator==(const link_cost&) const = default;
};

/// Links within a node, which carry the messages between its ranks. A message passes the link of its sender to the memory
/// of the node and the link of its receiver. If they are on different sockets, it passes the links of both sockets too.
/// Messages between nodes pass none of these links.
///
/// The defaults are typical values of shared memory, not measured ones: 0.5 us and 8 GB/s per rank, and 0.2 us and
/// 20 GB/s between sockets. `collsched calibrate` measures the first two.
struct intra_node_links {
    static constexpr rank_t most_sockets = 1024;  ///< largest number of sockets

    link_cost rank_link{500'000, 125'000};   ///< latency of a message, and the rate at which a rank sends and receives
    bool shared = false;                     ///< whether all messages of the node share one memory of that rate
    rank_t sockets = 1;                      ///< number of sockets, 1 to most_sockets
    link_cost socket_link{200'000, 50'000};  ///< latency added between sockets, and the rate of each socket's link

    /// Returns the socket of a rank. The ranks of a node fill its sockets in blocks.
    /// @param local      local rank, 0 .. residents-1
    /// @param residents  number of ranks on the node, 1 or more
    constexpr rank_t socket(rank_t local, rank_t residents) const { return local * sockets / residents; }
    /// Returns the cost of a path: the sum of its latencies, and the rate of its slowest link.
    /// @param between_sockets  whether its ends are on different sockets
    constexpr link_cost path(bool between_sockets) const {
        if (!between_sockets) return rank_link;
        const bool slower = rank_link.byte_fs < socket_link.byte_fs;
        return {rank_link.latency_ps + socket_link.latency_ps, slower ? socket_link.byte_fs : rank_link.byte_fs};
    }
    /// Returns the first error, or no error.
    constexpr argument_error check() const {
        constexpr std::int64_t most = std::int64_t{1} << 60;
        if (sockets < 1 || sockets > most_sockets) return {"sockets", sockets, "1 to 1024"};
        for (const link_cost& link : {rank_link, socket_link}) {
            if (link.latency_ps < 0 || link.latency_ps > most)
                return {"latency within a node", link.latency_ps, "0 ps to 2^60 ps"};
            if (link.byte_fs < 0 || link.byte_fs > most)
                return {"bandwidth within a node", link.byte_fs, "0 to 2^60 fs per byte"};
        }
        return {};
    }
    bool operator==(const intra_node_links&) const = default;
};

}}  // namespace collsched::COLLSCHED_ABI
