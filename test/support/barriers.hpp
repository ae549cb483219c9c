#pragma once

#include "collsched/schedule/stored_schedule.hpp"
#include "support/some_schedule.hpp"

namespace support {

using namespace collsched;

/// Whether every rank is reached from every other, directly or through messages of earlier steps.
bool all_ranks_reached(const stored_schedule& s);

/// Checks that a barrier without any one of its signals is wrong.
void check_every_signal_counts(const some_schedule& x);

}  // namespace support
