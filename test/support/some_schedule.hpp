#pragma once

#include "collsched/schedule/any_schedule.hpp"

namespace support {

using namespace collsched;

/// A schedule of any type, by implicit conversion: a parameter of functions that are compiled once for all tests.
struct some_schedule : any_schedule {
    template <schedulable X>
    some_schedule(const X& x) : any_schedule(x) {}
};

}  // namespace support
