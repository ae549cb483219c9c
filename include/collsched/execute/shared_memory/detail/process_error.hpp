#pragma once

#include "collsched/core/config.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Error numbers of messages between processes, and of their transport.
struct process_error {
    enum code : int {
        peer_died = 1,           ///< the process of the other rank has ended without leaving the group
        peer_left = 2,           ///< the other rank has left the group
        size_mismatch = 3,       ///< send and receive are of different sizes; reported at both ends
        disagreement = 4,        ///< send and receive are of different schedules; reported at both ends
        withdrawn = 5,           ///< the other end cancelled the message after the two had met
        bad_peer = 6,            ///< no rank of the group, or the own
        protocol_violation = 7,  ///< the other rank's part of the segment holds what no rank writes
        combine_failed = 8,      ///< the receiver's reduction threw an exception
    };
};

/// The reason why processes form no group: the error number of the system (errno), and the object of the failed call. A
/// value-initialized one is no error.
struct group_error {
    int number = 0;
    const char* about = nullptr;

    explicit operator bool() const { return number != 0; }
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
