#pragma once

#include <cstdint>

#include "collsched/schedule/any_schedule.hpp"
#include "collsched/schedule/stored_schedule.hpp"

/// Rejects plans for more than 32,768 ranks, since planning takes O(ranks^2) time or more.
void refuse_large_plan(collsched::rank_t ranks);

/// Rejects replays of more than 4096 ranks in which every rank ends with a block of every other rank.
void refuse_large_replay(const collsched::any_schedule& s);

/// Rejects a schedule with more than 2^log2_cells (rank, step) pairs, which would take hours or exceed the memory.
void refuse_beyond(const collsched::any_schedule& s, int log2_cells, const char* advice);

/// Rejects a page with more than 8192 messages, for which a browser takes seconds per step.
void refuse_crowded_page(const collsched::stored_schedule& s);
