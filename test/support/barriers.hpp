#pragma once

#include "collsched/schedule/stored_schedule.hpp"
#include "support/some_schedule.hpp"

namespace support {

using namespace collsched;

/// Whether in the end every rank knows of every other, when a message of step k tells what its sender knew before it.
bool everybody_heard(const stored_schedule& s);

/// Without any one of its signals it is no barrier.
void check_every_signal_counts(const some_schedule& x);

}  // namespace support
