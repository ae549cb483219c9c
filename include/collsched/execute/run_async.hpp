#pragma once

#include <coroutine>

#include "collsched/execute/engine.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// The awaitable that run_async() returns. Start is callable and returns whether on_end is called for the start.
template <class Run, class Start>
class run_awaitable {
  public:
    run_awaitable(Run& run, const Start& start) : run_(&run), start_(start) {}

    bool await_ready() const { return false; }
    bool await_suspend(std::coroutine_handle<> waiting) {
        run_->on_end(&ended, this);
        if (!start_() || has_ended_) return false;
        waiting_ = waiting;
        return true;
    }
    run_status await_resume() const { return end_; }

  private:
    static void ended(void* context, const run_status& end) {
        auto& self = *static_cast<run_awaitable*>(context);
        self.has_ended_ = true;
        self.end_ = end;
        self.run_->on_end(nullptr, nullptr);
        if (self.waiting_) self.waiting_.resume();
    }

    Run* run_;
    Start start_;
    run_status end_;
    bool has_ended_ = false;
    std::coroutine_handle<> waiting_;
};

}  // namespace detail

/// Returns an awaitable that starts an execution: `run_status end = co_await run_async(run, buffers, op);`. The call
/// that ends the start (progress(), deliver(), fail(), ...) resumes the coroutine, in its thread. The awaitable
/// replaces on_end of the execution.
/// @pre the execution outlives the call that resumes the coroutine
/// @param run      an execution that is not running
/// @param buffers  memory of the start
/// @param op       operation of a plan that combines
/// @return awaitable whose result is the run_status of the end
auto run_async(auto& run, const plan::buffers& buffers, const reduction& op = {}) {
    return detail::run_awaitable(run, [&run, buffers, op] { return run.start(buffers, op), true; });
}
/// As above, of an operation of a group, which has its memory: `run_status end = co_await run_async(operation);`. The
/// result is that of the start, or idle if the operation was refused.
/// @param run  an operation that is not running
/// @return awaitable
auto run_async(auto& run) {
    return detail::run_awaitable(run, [&run] { return !run.start().wrong; });
}

}}  // namespace collsched::COLLSCHED_ABI
