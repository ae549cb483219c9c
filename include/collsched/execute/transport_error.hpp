#pragma once

#include "collsched/execute/run_status.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Errors of messages that transports share. They are positive.
struct transport_error {
    /// Error number of a message, or of a whole transport.
    enum code : int {
        peer_died = 1,           ///< the other rank has ended without leaving
        peer_left = 2,           ///< the other rank has left: regularly, and this message will not complete
        size_mismatch = 3,       ///< a send and its receive are of different sizes
        disagreement = 4,        ///< the two ends run different schedules
        withdrawn = 5,           ///< the other end cancelled the message after the two had met
        no_such_rank = 6,        ///< the other end is no rank of the transport, or the rank itself
        protocol_violation = 7,  ///< the other rank has sent what no rank sends
        combine_failed = 8,      ///< the receiver's reduction threw an exception
        closed = 9,              ///< the transport was closed while a rank waited
        would_block = 10,        ///< nothing can complete any more: waiting would never end
        no_such_channel = 11,    ///< the channel, or another number of the message, is beyond those of the transport
        revoked = 12,            ///< a member of the communicator has revoked it
        first_own = 1000,        ///< smallest number of an error that one transport alone has
    };
};

/// Returns the meaning of an error of an execution.
/// @param error  a number of run_status::error: 0, an engine_error, a transport_error, or another one of a transport
/// @return text without line break
constexpr const char* error_text(int error) {
    switch (error) {
        case 0: return "no error";
        case missing_reduction: return "the collective reduces, and there is no reduction";
        case small_buffer: return "a buffer is smaller than the plan requires";
        case stalled: return "nothing is in flight, and not all is done";
        case bad_plan: return "the plan is wrong";
        case not_in_place: return "input and output do not overlap as the binding requires";
        case already_running: return "started while running";
        case cancelled: return "cancelled";
        case not_commutative: return "the schedule reorders operands, and the reduction is not commutative";
        case timed_out: return "the time is up";
        case unknown_completion: return "the end of a message that is not in flight";
        case element_mismatch: return "the schedule's element is no multiple of the size of the reduction's values";
        case transport_error::peer_died: return "the other rank has died";
        case transport_error::peer_left: return "the other rank has left";
        case transport_error::size_mismatch: return "the two ends have different sizes";
        case transport_error::disagreement: return "the two ends run different schedules";
        case transport_error::withdrawn: return "the other rank has given the message up";
        case transport_error::no_such_rank: return "no rank has this number";
        case transport_error::protocol_violation: return "the other rank has violated the protocol";
        case transport_error::combine_failed: return "the reduction has thrown an exception";
        case transport_error::closed: return "the transport was closed";
        case transport_error::would_block: return "nothing can complete any more";
        case transport_error::no_such_channel: return "the transport has no such channel";
        case transport_error::revoked: return "the operations of all ranks were ended";
        default: return "an error of the transport";
    }
}

}}  // namespace collsched::COLLSCHED_ABI
