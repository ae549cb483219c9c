#pragma once

#include <cstdint>

#include "collsched/core/rank.hpp"
#include "collsched/execute/transport.hpp"

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

/// Returns the meaning of an error of an execution.
/// @param error  a number of run_status::error: 0, an error of the engine, a message::error, or another one of a transport
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
        case message::error::peer_died: return "the other rank has died";
        case message::error::peer_left: return "the other rank has left";
        case message::error::size_mismatch: return "the two ends have different sizes";
        case message::error::disagreement: return "the two ends run different schedules";
        case message::error::withdrawn: return "the other rank has given the message up";
        case message::error::no_such_rank: return "no rank has this number";
        case message::error::protocol_violation: return "the other rank has violated the protocol";
        case message::error::combine_failed: return "the reduction has thrown an exception";
        case message::error::closed: return "the transport was closed";
        case message::error::would_block: return "nothing can complete any more";
        case message::error::no_such_channel: return "the transport has no such channel";
        case message::error::revoked: return "the operations of all ranks were ended";
        default: return "an error of the transport";
    }
}

}}  // namespace collsched::COLLSCHED_ABI
