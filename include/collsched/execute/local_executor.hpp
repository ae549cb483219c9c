#pragma once

#include <concepts>
#include <cstring>

#include "collsched/core/edge.hpp"
#include "collsched/execute/plan.hpp"
#include "collsched/execute/reduction.hpp"
#include "collsched/execute/transport.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Work of an execution within its rank: a copy, or a combination by its reduction.
/// @post copy: into = from; combine_before: into = from op into; combine_after: into = into op from
struct plan::local_operation {
    message::receive_part into;                          ///< target: output or scratch
    message::send_part from;                             ///< as many bytes as `into`; does not overlap it
    collsched::action action = collsched::action::copy;  ///< copy, combine_before or combine_after
    const reduction* op = nullptr;                       ///< null for a copy; valid until the start ends
};

/// Performs the local work of executions: on a processor, a GPU stream, a DMA engine, a pool of threads.
///
///   submit(operation, request)
///        performs or begins an operation and returns already_complete, 0 for an operation that is completed later, or
///        a positive error. A later end is reported like that of a message: by poll(), or by deliver() in the thread
///        that runs the execution. The memory stays valid until then.
///   cancel(owner)
///        ends all operations of this owner; none of them touches memory or is reported any more
///   poll()
///        required of an executor that completes operations later, for progress() and wait(): returns a completion, or
///        an empty one; never blocks
template <class E>
concept local_executor =
    requires(E& e, const plan::local_operation& operation, const message::request& request, const void* owner) {
        { e.submit(operation, request) } -> std::same_as<int>;
        e.cancel(owner);
    };

/// Performs local work at once in the calling thread, by memcpy and the reduction.
struct immediate_executor {
    /// Performs an operation.
    /// @param operation  copy or combination
    /// @return already_complete
    int submit(const plan::local_operation& operation, const message::request&) {
        const bytes_t size = operation.into.size;
        if (operation.action == action::copy)
            std::memcpy(operation.into.data, operation.from.data, static_cast<std::size_t>(size));
        else
            operation.op->combine(operation.op->context, operation.into.data, operation.from.data, size,
                                  operation.action);
        return already_complete;
    }
    /// Does nothing: no operation is in flight after submit().
    void cancel(const void*) {}
};

}}  // namespace collsched::COLLSCHED_ABI
