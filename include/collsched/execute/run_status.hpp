#pragma once

#include <cstdint>

#include "collsched/core/rank.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

enum class run_state : std::uint8_t { idle, running, done, failed };

/// The state of an execution on one rank. A failure names its step and the peer of the message that failed; -1 where no
/// message did.
struct run_status {
    run_state state = run_state::idle;
    int error = 0;  ///< an engine_error (negative), or the transport's error number (positive)
    step_t step = -1;
    rank_t rank = 0;
    rank_t peer = -1;

    constexpr bool running() const { return state == run_state::running; }
    constexpr bool done() const { return state == run_state::done; }
    constexpr bool failed() const { return state == run_state::failed; }
};

/// Errors of the engine itself; transports use positive numbers.
enum engine_error : int {
    missing_reduction = -1,  ///< the plan combines, and start was given no reduction
    small_buffer = -2,       ///< a buffer is smaller than the plan requires
    stalled = -3,            ///< nothing is in flight, and yet not all is done: the schedule is wrong
    bad_plan = -4,           ///< the plan's check() has the error
    not_in_place = -5,       ///< input and output do not overlap as the binding requires
    already_running = -6,    ///< started before the last start had ended; both fail
    cancelled = -7,          ///< by cancel()
    not_commutative = -8,  ///< the schedule may reorder operands, and the reduction does not say that it is commutative
    timed_out = -9,        ///< for callers: fail(timed_out) after a wait whose time was up
    unknown_completion = -10,  ///< the transport reported the end of an operation that is not in flight
    element_mismatch = -11,    ///< the schedule's element is no multiple of the size of the values that are reduced
};

/// Returns a description of an error of the engine; all numbers of transports have one description.
constexpr const char* text_of(engine_error error) {
    switch (error) {
        case missing_reduction: return "the plan combines, and there is no reduction";
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
    }
    return "an error of the transport";
}

}}  // namespace collsched::COLLSCHED_ABI
