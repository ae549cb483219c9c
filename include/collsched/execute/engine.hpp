#pragma once

#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "collsched/execute/detail/execution_state.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Runs a plan over a transport: one rank's side of a collective operation.
///
/// start() begins; then progress() or a wait drives the operation, or, over a transport that calls back, every completion
/// is passed to deliver() or complete(). One plan may serve many executions, an execution may start again and again, and
/// executions of any types may share a transport, each with a channel of its own. After construction nothing is
/// allocated, missing() aside. An execution may be moved, also while it runs; plan, transport and local executor stay
/// where they are and outlive it.
template <class Transport, local_executor Local = immediate_executor>
class execution {
    static_assert(detail::has_post_send<Transport>,
                  "a transport needs `int post_send(const message_key&, std::span<const send_part>)`");
    static_assert(detail::has_post_recv<Transport>,
                  "a transport needs `int post_recv(const message_key&, std::span<const receive_part>)`");
    static_assert(detail::has_cancel<Transport>, "a transport needs `void cancel(const void* owner)`");

  public:
    using clock = std::chrono::steady_clock;

    execution(const plan& plan, Transport& over, const execution_options& options = {})
        requires std::same_as<Local, immediate_executor>
        : execution(plan, over, at_once(), options) {}
    execution(const plan& plan, Transport& over, Local& local, const execution_options& options = {})
        : state_(std::make_unique<state_type>(plan, over, local, options)) {}
    /// An execution refers to its plan: a temporary plan does not live as long.
    execution(const collsched::plan&&, Transport&, const execution_options& = {}) = delete;
    execution(const collsched::plan&&, Transport&, Local&, const execution_options& = {}) = delete;

    /// Binds memory and begins. A start while running ends the operation with already_running.
    void start(const bound_buffers& buffers, const reduction& op = {}) { state_->start(buffers, op); }

    /// Takes one completion and starts the operations that waited for it. Ignored while not running.
    const run_status& complete(const completion& c) {
        state_->complete(c);
        return state();
    }

    /// Handles the completions that are there, without blocking, for every execution on this transport.
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

    /// Blocks until the operation has ended.
    const run_status& wait() { return wait_until(clock::time_point::max()); }
    /// Blocks until the operation has ended, or for this long; then it is still running and may be waited for again.
    const run_status& wait_for(std::chrono::nanoseconds timeout) {
        if (timeout > forever / 2) return wait();
        return wait_until(timeout > timeout.zero() ? clock::now() + timeout : clock::now());
    }
    /// Blocks until the operation has ended, or until this time.
    const run_status& wait_until(clock::time_point time) {
        static_assert(detail::has_wait_any<Transport>,
                      "a wait needs a transport with `completion wait_any(std::chrono::nanoseconds)`");
        while (progress().running()) {
            const auto left = remaining(time);
            const bool local = state_->has_local_work();
            const completion c = state_->transport().wait_any(local && slice < left ? slice : left);
            if (!c.empty()) pass(c);
            else if (local && left > left.zero()) std::this_thread::yield();
            else if (left == forever) state_->fail(stalled);
            else break;  // the transport's time is up, which may be virtual
        }
        return state();
    }

    const run_status& state() const { return state_->status(); }
    /// The staging that start() needs, in bytes: at most plan::staging_bytes(), less over a transport that combines
    /// messages as they arrive.
    bytes_t staging_bytes() const { return state_->staging_bytes(); }
    /// The messages and local operations in flight, in program order; empty while not running.
    std::vector<awaited_operation> missing() const { return state_->missing(); }
    /// The number of the next start, or of the one that is running.
    std::uint64_t epoch() const { return state_->epoch(); }

    /// Replaces execution_options::on_end; null: none.
    void on_end(void (*function)(void* context, const run_status& end), void* context) {
        state_->on_end(function, context);
    }

    /// Ends the operation as failed with this error and the step and peer of its first message in flight.
    void fail(int error) { state_->fail(error); }
    /// Ends the operation, for example because another rank has failed. It counts as a start.
    void cancel() { fail(cancelled); }

  private:
    using state_type = detail::execution_state<Transport, Local>;
    static constexpr std::chrono::nanoseconds slice = std::chrono::microseconds(50);  // between polls of local work

    static Local& at_once() {
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
