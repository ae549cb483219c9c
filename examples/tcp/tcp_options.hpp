#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace examples {

/// The messages that a tcp_transport accepts, and how long it waits for them.
struct tcp_options {
    /// Number of the group: equal on all ranks of a group, different for every group. It separates groups on the same
    /// ports. It is sent unencrypted and is not a secret.
    std::uint64_t job = 0;
    /// Allows addresses outside of the loopback interface. Nothing is authenticated or encrypted: set it only on a
    /// network of which every node is trusted.
    bool beyond_loopback = false;
    /// Time in which an accepted connection must send its hello.
    std::chrono::milliseconds hello_patience{2000};
    /// Largest number of accepted connections without a hello, 1 or more. One more closes the oldest.
    std::size_t half_open = 64;
};

/// The resources that a tcp_transport holds for its peers.
struct tcp_load {
    std::size_t requests =
        0;  ///< messages that peers have requested and this rank has not sent, at most most_requests per peer
    std::size_t queued = 0;     ///< frames that wait to be written
    std::size_t half_open = 0;  ///< the largest number of half-open connections at a time during connect()
};

}  // namespace examples
