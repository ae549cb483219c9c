#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "collsched/execute/shared_memory/process_group.hpp"

namespace collsched::preload {

/// The processes of a node whose memory this process may read.
struct readable_processes {
    std::vector<pid_t> of_ranks;  ///< per rank of the group; empty: they use rings
    std::string refusal;          ///< the reason on this rank; empty: none
};

/// Reads a number that is secret to its owner from the memory of each other member, by the call that copies long
/// messages. One failure makes the result empty. All members have joined. Takes a few system calls per rank.
readable_processes find_readable(const process_group& group);

}  // namespace collsched::preload
