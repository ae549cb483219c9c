#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/byte_range.hpp"
#include "collsched/core/checked.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/cost/concepts.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// Argument of the error of a run that ended at the limit of its conditions.
inline constexpr const char* limit_argument = "limit";

}  // namespace detail

/// The result of a simulated run: the times at which ranks finish, and the time that each is busy, in picoseconds.
struct simulation {
    struct conditions;

    /// The times of a vertex of an execution graph.
    struct activity {
        picoseconds arrival = 0;     ///< of a receive: its message has been received by the interface
        picoseconds ready = 0;       ///< all predecessors are complete, and the message of a receive has arrived
        picoseconds begin = 0;       ///< the processor begins; of a join as ready
        picoseconds busy_until = 0;  ///< the processor ends
        picoseconds end = 0;         ///< it is complete; of a send, its last byte has departed
        picoseconds posted = 0;      ///< of a receive with a contention_model: the receiver waits for the message
        bool operator==(const activity&) const = default;
    };

    /// A vertex of the critical path.
    struct critical_step {
        /// The reason why a vertex of the critical path did not begin earlier.
        enum class delay : std::uint8_t {
            start,      ///< none: the run begins
            order,      ///< its predecessor on the same rank had to complete
            message,    ///< its predecessor, a send of another rank, had to arrive
            processor,  ///< its rank's processor was busy with the predecessor
            sending,    ///< its rank's interface was still sending the predecessor
            receiving,  ///< its rank's interface was still receiving the message of the predecessor
            link,       ///< a link of its path was occupied by the predecessor, a send
            post,       ///< the predecessor, its receive, had to be posted
        };

        std::int64_t node = 0;       ///< index of the vertex in the graph
        delay cause = delay::start;  ///< reason why it did not begin earlier
        bool operator==(const critical_step&) const = default;
    };

    /// An interval of the critical path. All intervals in sequence are the time from 0 to the completion.
    struct path_interval {
        /// The use of the time.
        enum class part : std::uint8_t {
            waiting,     ///< a rank has not started
            overhead,    ///< a processor sends or receives a message, or an interface pauses after one
            local_work,  ///< a processor copies or combines
            latency,     ///< a message is in flight
            bandwidth,   ///< the bytes of a message pass interfaces or links, as they would alone
            contention,  ///< further time of these bytes, since other messages use a link of their route
        };

        std::int64_t step = 0;     ///< index of the step of the path; -1: none
        part use = part::waiting;  ///< use of the time
        picoseconds begin = 0;     ///< in picoseconds
        picoseconds end = 0;       ///< in picoseconds, `begin` or more
        std::int64_t link = -1;    ///< link that limits the message for the longest time; -1: unknown
        bool operator==(const path_interval&) const = default;
    };

    /// The time for which a transfer occupies a link.
    struct link_use {
        std::int64_t link = 0;      ///< index of the link
        std::int64_t send = 0;      ///< vertex of the message
        std::int64_t transfer = 0;  ///< number of the transfer among all
        bytes_t bytes = 0;          ///< of the transfer
        picoseconds begin = 0;      ///< the first byte enters the link
        picoseconds end = 0;        ///< the link is free again
        bool operator==(const link_use&) const = default;
    };

    owned_array<picoseconds> finish;    ///< per rank: completion of its last task; its start time without tasks
    picoseconds completion = 0;         ///< the largest finish time
    owned_array<picoseconds> cpu_busy;  ///< per rank: processor time for messages, copies and combinations
    owned_array<picoseconds> out_busy;  ///< per rank: time of the network interface for sending, gaps included
    owned_array<picoseconds> in_busy;   ///< per rank: time of the network interface for receiving, gaps included
    owned_array<activity> activities;   ///< per vertex of the graph, by trace(); empty by simulate()
    owned_array<link_use> link_uses;    ///< in the order of begin, by trace() with a link_queue_model; else empty
    argument_error error;               ///< error of model, start times or schedule; see check()

    /// Returns the error of model, start times or schedule. With an error there are no times.
    argument_error check() const { return error; }
    /// Returns whether the run ended at the limit of its conditions.
    bool is_beyond_limit() const { return error && std::string_view(error.argument) == detail::limit_argument; }
    bool operator==(const simulation&) const = default;
};

namespace detail {

/// Returns a run without times that has this error.
inline simulation failed_run(const argument_error& e) {
    simulation none;
    none.error = refuse_if(e);
    return none;
}
inline simulation too_long_a_run() {
    return failed_run({"time", std::numeric_limits<picoseconds>::max(), "a run of less than 2^63 picoseconds"});
}
/// Returns a run that exceeds the limit of its conditions.
inline simulation run_beyond(picoseconds limit) {
    simulation none;
    none.error = {limit_argument, limit, "a longer time"};  // requested, so no exception
    return none;
}
/// Returns a run that the conditions ended before its completion.
inline simulation interrupted_run() {
    simulation none;
    none.error = {"is_over", 1, "0 until the run is complete"};  // requested, so no exception
    return none;
}
/// Returns a simulation with times of 0 for each rank.
inline simulation idle_run(rank_t ranks) {
    simulation idle;
    for (auto* times : {&idle.finish, &idle.cpu_busy, &idle.out_busy, &idle.in_busy})
        *times = owned_array<picoseconds>(ranks);
    return idle;
}

/// Returns a run in which this number of vertices never completed.
inline simulation endless_run(std::int64_t nodes) {
    return failed_run({"schedule", nodes, "a schedule in which no edge waits for ever"});
}

/// Result of a run, whose times may exceed 63 bits.
class run_times {
  protected:
    static constexpr picoseconds infinity = std::numeric_limits<picoseconds>::max();

    run_times(rank_t ranks, std::span<const picoseconds> start) : result_(idle_run(ranks)) {
        for (std::size_t r = 0; r < start.size(); ++r) result_.finish[static_cast<rank_t>(r)] = start[r];
    }

    picoseconds later(picoseconds time, const checked& duration) {
        const checked sum = checked(time) + duration;
        overflowed_ = overflowed_ || !sum.ok() || sum.value() == infinity;
        return sum.ok() ? sum.value() : infinity;
    }
    /// Returns the result of a run of so many vertices that has ended.
    simulation ended(std::int64_t vertices) {
        if (overflowed_) return too_long_a_run();
        if (completed_ < vertices) return endless_run(vertices - completed_);
        for (const picoseconds done : result_.finish)
            result_.completion = done > result_.completion ? done : result_.completion;
        return static_cast<simulation&&>(result_);
    }

    simulation result_;
    std::int64_t completed_ = 0;
    bool overflowed_ = false;
};

}  // namespace detail

}}  // namespace collsched::COLLSCHED_ABI
