#pragma once

#include "collsched/schedule/metrics.hpp"
#include "collsched/verify/verdict.hpp"
#include "support/some_schedule.hpp"

namespace support {

using namespace collsched;

/// The results of verify() and metrics() for a schedule of any type, compiled once for all tests.
verdict verified(const some_schedule& x, binding binding = binding::separate);
metrics_report measured(const some_schedule& x);

}  // namespace support
