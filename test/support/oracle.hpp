#pragma once

#include <vector>

#include "collsched/schedule/stored_schedule.hpp"
#include "support/some_schedule.hpp"

namespace support {

using namespace collsched;

/// Whether a schedule keeps its contract: its edges replayed byte by byte, straight from the rules of a step, with nothing
/// of the verifier's.
bool replays(const stored_schedule& s, binding binding);
bool replays(const some_schedule& x, binding binding);

/// The schedule with other edges, and otherwise the same.
stored_schedule with_edges(const stored_schedule& s, const std::vector<edge>& edges, step_t steps = -1);

}  // namespace support
