#pragma once

#include <cstdint>

#include "collsched/core/rank.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// The state of an execution on one rank. A failure names its step and the peer of the message that failed; -1 where no
/// message did.
struct run_status {
    /// State of an execution: before the first start, between start and end, or how the last start has ended.
    enum class phase : std::uint8_t { idle, running, done, failed };

    phase state = phase::idle;  ///< idle before the first start
    int error = 0;              ///< an error of the engine (negative), or the transport's error number (positive)
    step_t step = -1;           ///< failed: step of the message that failed, or -1
    rank_t rank = 0;            ///< rank of the execution
    rank_t peer = -1;           ///< failed: other rank of the message, or rank at fault; or -1

    /// Returns whether a start has not ended yet.
    /// @return state == running
    constexpr bool running() const { return state == phase::running; }
    /// Returns whether the last start has ended without failure.
    /// @return state == done
    constexpr bool done() const { return state == phase::done; }
    /// Returns whether the last start has ended with an error.
    /// @return state == failed
    constexpr bool failed() const { return state == phase::failed; }
};

/// Errors of the engine, negative. Transports and local executors use positive numbers.
enum : int {
    missing_reduction = -1,    ///< start(): the collective reduces, and the reduction has no function
    small_buffer = -2,         ///< bound_plan::outcome(): a buffer is smaller than the plan requires
    stalled = -3,              ///< no operation is in flight and some are incomplete: the edges are not a schedule
    bad_plan = -4,             ///< start() and the run functions: check() of the plan or the schedule has an error
    not_in_place = -5,         ///< start(), bound_plan::outcome(): input and output overlap otherwise than bound
    already_running = -6,      ///< start() before the end of the last start; both fail
    cancelled = -7,            ///< cancel()
    not_commutative = -8,      ///< start(): the schedule may reorder operands, and reduction::commutative is false
    timed_out = -9,            ///< never by the engine: for callers that call fail(timed_out) after a wait
    unknown_completion = -10,  ///< the transport reported the end of an operation that is not in flight
    element_mismatch = -11,    ///< start(): reduction::element does not divide the element of the schedule
};

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
/// @param error  a number of run_status::error: 0, an error of the engine, a transport_error, or another one of a transport
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
