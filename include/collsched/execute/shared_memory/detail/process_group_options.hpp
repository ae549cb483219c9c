#pragma once

#include <unistd.h>

#include <cerrno>
#include <limits>

#include "collsched/core/byte_range.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/execute/shared_memory/detail/open_file.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// How the processes of a group are connected; the same for all ranks.
struct process_group_options {
    /// Size of each of the p (p-1) rings: a power of two, 1024 or more; 0: 128 KiB for up to 8 ranks, else 32 KiB.
    bytes_t ring_bytes = 0;
    bool single_copy = true;  ///< read large messages straight from the sender's memory, where the kernel permits it
    /// Size of large messages, 0 bytes or more; -1: 0 if there are more ranks than processors, since a rank that waits for
    /// room in a ring gives its processor away, else without end.
    bytes_t single_copy_from = -1;
};

/// Returns the options with a number for each default that depends on the ranks.
inline process_group_options with_defaults(process_group_options options, rank_t ranks) {
    if (options.ring_bytes == 0) options.ring_bytes = ranks <= 8 ? 131072 : 32768;
    if (options.single_copy_from == -1)
        options.single_copy_from = ranks > ::sysconf(_SC_NPROCESSORS_ONLN) ? 0 : std::numeric_limits<bytes_t>::max();
    return options;
}

/// The first mistake in what a rank joins with.
/// @param options  those of with_defaults
inline group_error check_membership(rank_t ranks, rank_t rank, const process_group_options& options) {
    if (ranks < 1 || ranks > 1 << 15) return {EINVAL, "ranks: 1 to 32768"};
    if (rank < 0 || rank >= ranks) return {EINVAL, "rank: 0 to ranks-1"};
    const bytes_t ring = options.ring_bytes;
    if (ring < 1024 || ring > 1 << 30 || (ring & (ring - 1)) != 0)
        return {EINVAL, "ring_bytes: a power of two, 1024 or more"};
    if (options.single_copy_from < 0) return {EINVAL, "single_copy_from: -1 or more"};
    return {};
}

}}}  // namespace collsched::COLLSCHED_ABI::detail
