#pragma once

#include <cstdint>
#include <limits>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/cost/picoseconds.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// When the ranks of a simulated run are done, and how busy they were; all in picoseconds.
struct simulation {
    struct conditions;

    /// When a node of an execution graph did what it does.
    struct activity {
        picoseconds arrival = 0;     ///< of a receive: its message is in
        picoseconds ready = 0;       ///< all that it waits for has come about, of a receive the message too
        picoseconds begin = 0;       ///< the processor takes it up; of a join as ready
        picoseconds busy_until = 0;  ///< the processor is done with it
        picoseconds end = 0;         ///< it is complete: of a send, its last byte has left
        bool operator==(const activity&) const = default;
    };

    /// A node of the critical path.
    struct critical_step {
        /// Why a node of the critical path did not begin earlier.
        enum class delay : std::uint8_t {
            start,      ///< nothing held it back: the run begins
            order,      ///< the node before, of its rank, had to be complete
            message,    ///< the send before it, of another rank, had to arrive
            processor,  ///< its rank's processor was busy with the node before
            sending,    ///< its rank's interface was still sending the node before
            receiving,  ///< its rank's interface was still taking in the message of the node before
        };

        std::int64_t node = 0;
        delay cause = delay::start;
        bool operator==(const critical_step&) const = default;
    };

    owned_array<picoseconds> finish;    ///< of each rank: all that it does is complete; its start where it does nothing
    picoseconds completion = 0;         ///< the latest of them
    owned_array<picoseconds> cpu_busy;  ///< of each rank: its processor's time for messages, copies and combinations
    owned_array<picoseconds> out_busy;  ///< its network interface's time for sending, gaps included
    owned_array<picoseconds> in_busy;   ///< the same for receiving
    owned_array<activity> activities;   ///< of each node of the graph, by trace(); empty by simulate()
    argument_error error;

    /// What was wrong with model, start times or schedule; then there are no times.
    argument_error check() const { return error; }
    bool operator==(const simulation&) const = default;
};

namespace detail {

/// A run that has no times, and why.
inline simulation failed_run(const argument_error& e) {
    simulation none;
    none.error = refuse_if(e);
    return none;
}
inline simulation too_long_a_run() {
    return failed_run({"time", std::numeric_limits<picoseconds>::max(), "a run of less than 2^63 picoseconds"});
}
/// So many nodes of its graph never became complete.
inline simulation endless_run(std::int64_t nodes) {
    return failed_run({"schedule", nodes, "a schedule in which no edge waits for ever"});
}

}  // namespace detail

}}  // namespace collsched::COLLSCHED_ABI
