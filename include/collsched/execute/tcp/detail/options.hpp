#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "collsched/execute/tcp/detail/key.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The connections and messages that a tcp_transport accepts, and how long it waits for them.
struct tcp_options {
    /// Largest number of outstanding requests from one rank to another that a rank may accept.
    static constexpr std::size_t most_requests = 65'536;
    /// Memory in bytes for a request that has no reply yet.
    static constexpr std::size_t bytes_per_request = 128;

    /// Number of the group: equal on all ranks of a group, different for every group. It separates groups on the same
    /// ports and with the same key. It is sent unencrypted and is not a secret.
    std::uint64_t job = 0;
    /// The secret of the group, equal on all its ranks (tcp_key::read). Without a key, addresses are limited to the
    /// loopback interface, and every program that has the job's number can pose as a rank.
    tcp_key key{};
    /// Time in which an accepted connection must complete the handshake.
    std::chrono::milliseconds handshake_timeout{2000};
    /// Largest number of accepted connections without a hello, and as many with a hello and without a proof; 1 or more.
    std::size_t half_open = 64;
    /// Largest memory in bytes for messages that one rank has requested and this rank has not sent: bytes_per_request
    /// per message, at least one message and at most most_requests. It may differ between ranks.
    std::size_t pending_bytes = most_requests * bytes_per_request;
    /// Time after which a rank whose node is unreachable counts as dead, while no message to it is in flight; 3 seconds
    /// or more, 0: as long as the system waits. A node that is down closes no connection.
    std::chrono::seconds silence{30};

    /// Returns the number of open requests per peer that fits in pending_bytes. @return 1 to most_requests
    std::size_t requests() const {
        return std::clamp<std::size_t>(pending_bytes / bytes_per_request, 1, most_requests);
    }
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
