#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>

#include "collsched/execute/run_status.hpp"

namespace examples {

using namespace collsched;

/// An operation of a group. The driver starts it, and ends it with one call of on_end, in a thread that drives.
class operation {
  public:
    using clock = std::chrono::steady_clock;
    virtual ~operation() = default;
    virtual void start() = 0;
    virtual void fail(int error) = 0;
    virtual bool running() const = 0;
    virtual run_status state() const = 0;

    /// Fills the input of the operation, after the end of the ordered operations before it, and starts it.
    void begin() {
        if (before) before();
        start();
    }
    /// Completes the output of an operation that was successful, before the next ordered one starts.
    void finish() {
        try {
            if (after) after();
        } catch (...) {
            thrown = std::current_exception();
        }
    }

    bool ordered = true;  ///< starts after the end of the ordered operations before it
    clock::time_point deadline = clock::time_point::max();
    std::function<void()> before{};
    std::function<void()> after{};
    std::exception_ptr thrown{};  ///< the exception of `after`
    std::function<void(const run_status& end)> on_end{};
    std::atomic<bool> ended = false;  ///< after on_end
};

}  // namespace examples
