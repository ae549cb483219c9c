#pragma once

#include <cstdint>
#include <limits>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/cost/picoseconds.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// When the ranks of a simulated run are done, and how busy they were; all in picoseconds.
struct simulation {
    owned_array<picoseconds> finish;    ///< of each rank: all that it does is complete; its start where it does nothing
    picoseconds completion = 0;         ///< the latest of them
    owned_array<picoseconds> cpu_busy;  ///< of each rank: its processor's time for messages, copies and combinations
    owned_array<picoseconds> out_busy;  ///< its network interface's time for sending, gaps included
    owned_array<picoseconds> in_busy;   ///< the same for receiving
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
