#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "support/some_schedule.hpp"

namespace support {

using namespace collsched;

/// Checks rounds and messages, and that every rank sends and receives exactly the p-1 blocks of 8 bytes of the others.
void check_counts(const some_schedule& x, step_t rounds, std::int64_t messages);

/// The blocks that rank r sends in a schedule of one-byte blocks, by step and target, and whether each only once.
struct sent_blocks {
    std::map<std::pair<step_t, rank_t>, std::set<rank_t>> messages;
    bool once = true;

    sent_blocks(const some_schedule& x, rank_t r);
};

/// Whether two schedules move the same bytes in the same steps.
bool same_edges(const some_schedule& x, const some_schedule& y);

}  // namespace support
