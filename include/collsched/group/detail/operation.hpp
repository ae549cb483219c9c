#pragma once

#include <chrono>
#include <memory>
#include <utility>

#include "collsched/group/detail/group_state.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

template <polled_transport Inner>
class group;

namespace detail {

/// A collective of a group on one rank that runs while the rank does other work, and that may be started again and
/// again. It refers to the arrays of its call, which are not touched while it runs. Operations progress within any
/// test() or wait, and within the blocking calls, of any group over the same transport.
///
/// All ranks start the operations of a group in the same order, whether by start() of an operation, of the group, or by
/// a blocking call. An operation keeps the state of its group; the transport outlives both. A destructor cancels a
/// running operation.
template <polled_transport Inner>
class operation {
  public:
    /// No operation.
    operation() = default;

    /// Begins it, again after its end (MPI_Start). Allocates nothing.
    /// @return result()
    outcome start() {
        if (!run_) return result_;
        if (run_->status().running()) return {.wrong = {"start", 1, "an operation that is not running"}};
        result_ = {};
        if (run_.group().transport().is_revoked()) {
            result_ = run_.group().refused_as_revoked();
            if (function_ != nullptr) function_(context_, result_.status);
            return result_;
        }
        const auto timeout = run_.group().options().timeout;
        if (timeout != forever) deadline_ = clock::now() + timeout;
        if (const argument_error error = run_.start(call_)) return result_ = {.wrong = error};
        started_ = true;
        return result();
    }
    /// Makes progress on all operations of the transport. Never blocks.
    /// @return result()
    outcome test() {
        if (is_running()) end_if_late(run_->steps().progress());
        return result();
    }
    /// Blocks until it has ended.
    /// @return result()
    outcome wait() { return wait_until(clock::time_point::max()); }
    /// Blocks until it has ended, or until the time is up: then it is still running.
    /// @param time  duration
    /// @return result()
    outcome wait_for(std::chrono::nanoseconds time) {
        return time > forever / 2 ? wait() : wait_until(clock::now() + time);
    }
    /// Ends it with `cancelled` on this rank. On all ranks the operations of the group fail, as after any failure, and
    /// only shrink() and agree() of the group work then. Ignored while not running.
    /// @return result()
    outcome cancel() {
        if (is_running()) run_->steps().cancel();
        return result();
    }
    /// Returns the end of the last start; running before it.
    outcome result() const { return run_ && started_ && !result_.status.failed() ? run_.result() : result_; }

    /// Sets a function that is called once per start that is not refused, when it ends, in the thread that makes the
    /// progress. It may start operations; it must not destroy this one.
    /// @param function  null: none
    /// @param context   first argument of the function
    void on_end(void (*function)(void* context, const run_status& end), void* context) {
        function_ = function;
        context_ = context;
        if (run_) run_->steps().on_end(function, context);
    }

  private:
    friend class collsched::group<Inner>;
    using clock = std::chrono::steady_clock;

    explicit operation(const argument_error& error) : result_{.wrong = error} {}
    operation(std::shared_ptr<group_state<Inner>> state, held_run<Inner> run, const collective_call& call)
        : state_(std::move(state)), run_(std::move(run)), call_(call) {}

    bool is_running() const { return run_ && run_->status().running(); }
    void end_if_late(const run_status& status) {
        if (status.running() && deadline_ != clock::time_point::max() && clock::now() >= deadline_)
            run_->steps().fail(timed_out);
    }
    outcome wait_until(clock::time_point time) {
        if (is_running()) end_if_late(run_->steps().wait_until(time < deadline_ ? time : deadline_));
        return result();
    }

    std::shared_ptr<group_state<Inner>> state_;  // outlives the run
    held_run<Inner> run_;
    collective_call call_;
    clock::time_point deadline_ = clock::time_point::max();
    outcome result_;
    bool started_ = false;
    void (*function_)(void* context, const run_status& end) = nullptr;
    void* context_ = nullptr;
};

}  // namespace detail

}}  // namespace collsched::COLLSCHED_ABI
