#pragma once

#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "collsched/execute/detail/execution_state.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Runs a plan over a transport: one rank's side of a collective operation.
///
/// start() begins; then progress() or a wait drives the operation, or, over a transport that calls back, every
/// completion is passed to deliver() or complete(). One plan may serve many executions, an execution may start again
/// and again, and executions of any types may share a transport, each with a channel of its own. After construction
/// nothing is allocated, missing() aside. An execution may be moved, also while it runs; plan, transport and local
/// executor stay where they are and outlive it.
template <class Transport, local_executor Local = immediate_executor>
class execution {
    static_assert(detail::has_post_send<Transport>,
                  "a transport needs `int post_send(const message::key&, std::span<const message::send_part>)`");
    static_assert(detail::has_post_recv<Transport>,
                  "a transport needs `int post_recv(const message::key&, std::span<const message::receive_part>)`");
    static_assert(detail::has_cancel<Transport>, "a transport needs `void cancel(const void* owner)`");

  public:
    using clock = std::chrono::steady_clock;              ///< clock of wait_until()
    using awaited_operation = detail::awaited_operation;  ///< operation in flight, in the result of missing()

    /// Execution of a plan whose local work the calling thread performs at once. O(n) time and memory for n nodes of
    /// the plan.
    /// @param plan       plan of the transport's rank; outlives the execution
    /// @param transport  transport; outlives the execution
    /// @param options    channel, first epoch, limits and callback
    execution(const plan& plan, Transport& transport, const execution_options& options = {})
        requires std::same_as<Local, immediate_executor>
        : execution(plan, transport, default_executor(), options) {}
    /// Execution of a plan with a local executor.
    /// @param plan       plan of the transport's rank; outlives the execution
    /// @param transport  transport; outlives the execution
    /// @param local      performs copies and combinations within the rank; outlives the execution
    /// @param options    channel, first epoch, limits and callback
    execution(const plan& plan, Transport& transport, Local& local, const execution_options& options = {})
        : state_(std::make_unique<state_type>(plan, transport, local, options)) {}
    /// An execution refers to its plan: a temporary plan does not live as long.
    execution(const collsched::plan&&, Transport&, const execution_options& = {}) = delete;
    execution(const collsched::plan&&, Transport&, Local&, const execution_options& = {}) = delete;

    /// Binds memory and begins. The operation may end within this call. Failure: state() has
    /// - bad_plan if plan::check() has an error,
    /// - not_in_place if neither address is null, and input and output overlap otherwise than plan::alias() has it, or
    ///   have one address where they are separate,
    /// - missing_reduction if the collective reduces and `op` has no function,
    /// - element_mismatch if the collective reduces and op.element does not divide plan::element(),
    /// - not_commutative if the plan reorders operands and op.commutative is false,
    /// - already_running after a start while running, which ends the operation,
    /// - the error of a post of the transport or of the local executor.
    /// @param buffers  memory that is valid until the end, of the sizes that the plan requires
    /// @param op       operation of a plan that combines; its context is valid until the end
    void start(const plan::buffers& buffers, const reduction& op = {}) { state_->start(buffers, op); }

    /// As above, with the number that the caller counts in place of epoch(). Later starts without a name have the numbers
    /// that follow, and the same values.
    /// @param buffers  as above
    /// @param op       as above
    /// @param name     number, equal on all ranks and of no other start on the channel, and what else must be equal
    void start(const plan::buffers& buffers, const reduction& op, const execution_options::start_name& name) {
        state_->name(name);
        state_->start(buffers, op);
    }

    /// Takes one completion and starts the operations that waited for it. Ignored while not running. A completion with
    /// an error, or of an operation that is not in flight, ends the operation as failed.
    /// @param c  completion of an operation of this execution, or one without a request: a failure of the transport
    /// @return state()
    const run_status& complete(const completion& c) {
        state_->complete(c);
        return state();
    }

    /// Handles the completions that are available, for every execution on this transport. Never blocks.
    /// @return state()
    const run_status& progress() {
        static_assert(detail::has_poll<Transport>,
                      "progress() and wait() need a transport with `completion poll()`; others call complete()");
        while (state_->running()) {
            const bool local = poll_local();
            const completion c = state_->transport().poll();
            if (!c.empty()) pass(c);
            else if (!local) break;
        }
        return state();
    }

    /// Blocks until the operation has ended. It fails with `stalled` if the transport returns without a completion.
    /// @return state()
    const run_status& wait() { return wait_until(clock::time_point::max()); }
    /// Blocks until the operation has ended, or until the time is up. Then the operation is still running and may be
    /// waited for again.
    /// @param timeout  duration; 0 or less: no wait
    /// @return state()
    const run_status& wait_for(std::chrono::nanoseconds timeout) {
        if (timeout > forever / 2) return wait();
        return wait_until(timeout > timeout.zero() ? clock::now() + timeout : clock::now());
    }
    /// Blocks until the operation has ended, or until `time`.
    /// @param time  point in time; the largest one: no limit
    /// @return state()
    const run_status& wait_until(clock::time_point time) {
        static_assert(detail::has_wait_any<Transport>,
                      "a wait needs a transport with `completion wait_any(std::chrono::nanoseconds)`");
        while (progress().running()) {
            const auto time_left = remaining(time);
            const bool local = state_->has_local_work();
            const completion c = state_->transport().wait_any(local && slice < time_left ? slice : time_left);
            if (!c.empty()) pass(c);
            else if (local && time_left > time_left.zero()) std::this_thread::yield();
            else if (time_left == forever) state_->fail(stalled);
            else break;  // the transport's time is up, which may be virtual
        }
        return state();
    }

    /// Returns the state of the last start; `idle` before the first one.
    /// @return reference that is valid as long as the execution, and changes with it
    const run_status& state() const { return state_->status(); }
    /// Returns the staging that start() needs: less than plan::staging_bytes() over a transport that combines messages
    /// as they arrive. O(n) for n nodes of the plan.
    /// @return bytes, 0 to plan::staging_bytes()
    bytes_t staging_bytes() const { return state_->staging_bytes(); }
    /// Returns the memory of the execution itself, without plan and buffers.
    /// @return bytes
    bytes_t footprint() const { return state_->footprint(); }
    /// Returns the messages and local operations in flight, in program order. O(n) for n nodes of the plan; allocates
    /// the result.
    /// @return operations; none while not running
    std::vector<awaited_operation> missing() const { return state_->missing(); }
    /// Returns the number of the next start, or of the start that is running.
    /// @return execution_options::epoch plus the number of starts that have ended
    std::uint64_t epoch() const { return state_->epoch(); }

    /// Replaces execution_options::on_end; null: none.
    /// @param function  called once per start, when it ends; null: none
    /// @param context   first argument of the function
    void on_end(void (*function)(void* context, const run_status& end), void* context) {
        state_->on_end(function, context);
    }

    /// Ends the operation as failed with this error and the step and peer of its first message in flight. Ignored while
    /// not running.
    /// @param error  an error of the engine, or a positive number
    void fail(int error) { state_->fail(error); }
    /// Ends the operation with `cancelled`, for example because another rank has failed. It counts as a start.
    void cancel() { fail(cancelled); }

  private:
    using state_type = detail::execution_state<Transport, Local>;
    static constexpr std::chrono::nanoseconds slice = std::chrono::microseconds(50);  // between polls of local work

    static Local& default_executor() {
        static Local local;  // without state
        return local;
    }
    static std::chrono::nanoseconds remaining(clock::time_point time) {
        if (time == clock::time_point::max()) return forever;
        const clock::time_point now = clock::now();
        return time > now ? std::chrono::nanoseconds(time - now) : std::chrono::nanoseconds::zero();
    }

    bool poll_local() {
        if constexpr (detail::has_poll<Local>) {
            const completion c = state_->local().poll();
            if (!c.empty()) pass(c);
            return !c.empty();
        }
        return false;
    }
    /// A completion of a request is its owner's; a failure of the whole transport is this execution's.
    void pass(const completion& c) {
        if (c.request.owner != nullptr) deliver(c);
        else state_->complete(c);
    }

    std::unique_ptr<state_type> state_;
};

}}  // namespace collsched::COLLSCHED_ABI
