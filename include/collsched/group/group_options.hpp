#pragma once

#include <chrono>
#include <cstdint>

#include "collsched/execute/transport.hpp"
#include "collsched/group/choice_policy.hpp"
#include "collsched/topology/placement.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Options of a group; all but kept_bytes are equal on all ranks.
struct group_options {
    /// Chooses the schedule of each kind of call. Without one, every call is refused.
    choice_policy policy{};
    /// Longest time of an operation, from its start to its end; after it the operation fails with timed_out, on all
    /// ranks.
    std::chrono::nanoseconds timeout = forever;
    topology::placement placement{};  ///< node of every rank, for policies that depend on it; default: unknown
    /// Memory for plans and their executions. Those that were not used for longest are given up beyond it, those in use
    /// and the last one aside.
    bytes_t kept_bytes = bytes_t{64} << 20;
    /// Channels of the group and of each group that is made of it, 4 or more: see communicator.
    std::uint64_t channels = 65536;
};

}}  // namespace collsched::COLLSCHED_ABI
