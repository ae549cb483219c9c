#pragma once

#include <cstdint>

#include "collsched/schedule/any_schedule.hpp"
#include "collsched/schedule/stored_schedule.hpp"

/// Refuses to plan for more than 32,768 ranks: it takes time with the square of them, and more.
void refuse_large_plan(collsched::rank_t ranks);

/// Refuses what would be replayed block by block where every rank ends with a block of every other, beyond 4096 ranks.
void refuse_large_replay(const collsched::any_schedule& s);

/// Refuses a schedule with more than 2^log2_cells (rank, step) pairs: it would take hours, or more memory
/// than there is.
void refuse_beyond(const collsched::any_schedule& s, int log2_cells, const char* advice);

/// Refuses a page with more than 8192 messages: a browser would take seconds for each step.
void refuse_crowded_page(const collsched::stored_schedule& s);
