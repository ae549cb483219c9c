#pragma once

#include <cstdint>

#include "collsched/core/rank.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// State of an execution: before the first start, between start and end, or how the last start has ended.
enum class run_state : std::uint8_t { idle, running, done, failed };

/// The state of an execution on one rank. A failure names its step and the peer of the message that failed; -1 where no
/// message did.
struct run_status {
    run_state state = run_state::idle;  ///< idle before the first start
    int error = 0;                      ///< an engine_error (negative), or the transport's error number (positive)
    step_t step = -1;                   ///< failed: step of the message that failed, or -1
    rank_t rank = 0;                    ///< rank of the execution
    rank_t peer = -1;                   ///< failed: other rank of the message, or rank at fault; or -1

    /// Returns whether a start has not ended yet.
    /// @return state == running
    constexpr bool running() const { return state == run_state::running; }
    /// Returns whether the last start has ended without failure.
    /// @return state == done
    constexpr bool done() const { return state == run_state::done; }
    /// Returns whether the last start has ended with an error.
    /// @return state == failed
    constexpr bool failed() const { return state == run_state::failed; }
};

/// Errors of the engine, negative. Transports and local executors use positive numbers.
enum engine_error : int {
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

}}  // namespace collsched::COLLSCHED_ABI
