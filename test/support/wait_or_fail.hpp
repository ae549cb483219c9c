#pragma once

#include <chrono>

#include "collsched/execute/engine.hpp"

namespace support {

/// Waits for an execution, and ends it as timed out after this time.
template <class Execution>
collsched::run_status wait_or_fail(Execution& run, std::chrono::nanoseconds timeout) {
    if (run.wait_for(timeout).running()) run.fail(collsched::timed_out);
    return run.state();
}

}  // namespace support
