#pragma once

#include <cstdint>

#include "collsched/core/byte_range.hpp"
#include "collsched/execute/run_status.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Options of an execution. Channel and first epoch are equal on all ranks.
struct execution_options {
    /// Limits of the messages that a rank has in flight; 0 or less: no limit. Over a rendezvous transport, `receives`
    /// limits the in-degree of a rank. Limited messages start in program order (step, source, destination). No limit
    /// can block a correct schedule: the first message in that order that is not complete has no message before it at
    /// either end.
    struct message_limits {
        std::int64_t sends = 0;     ///< largest number of sends in flight
        std::int64_t receives = 0;  ///< largest number of receives in flight
    };

    /// Name of a start, equal on all ranks. With it, ranks need not have executions in common: each may run the operation
    /// by an execution, and a plan, of its own.
    struct start_name {
        std::uint64_t number = 0;  ///< of the operation among those of the channel: none has the same one
        /// Number for requirements beyond the schedule, such as the type of the values: ranks that differ in it
        /// get the error of different schedules. 0: there are none.
        std::uint64_t values = 0;
    };

    std::uint64_t channel = 0;  ///< different for each of several plans in flight between the same ranks
    std::uint64_t epoch = 0;    ///< number of the first start; it rises by one with every start
    message_limits limits{};    ///< limits of messages in flight; default: none
    bool compare = true;  ///< compare the schedule's fingerprint with the other end's; false where each rank has a
                          ///< schedule of its own blocks
    /// Called once per start, when it ends, by the function that ended it: start(), complete(), fail(), cancel(),
    /// progress() or a wait. It may start the execution again; it must not destroy it.
    void (*on_end)(void* context, const run_status& end) = nullptr;
    void* on_end_context = nullptr;  ///< first argument of on_end
};

namespace detail {

/// An operation in flight.
struct awaited_operation {
    step_t step = 0;     ///< step of the schedule
    rank_t peer = 0;     ///< the other end of a message; the rank itself for local work
    bytes_t bytes = 0;   ///< size of the message, or of the local work
    bool sends = false;  ///< true: a send; false: a receive or local work
};

}  // namespace detail

}}  // namespace collsched::COLLSCHED_ABI
