/// The interface of the C++ side for programs in C: functions that make and free a plan for one rank.
#pragma once

#include "collsched/execute/flat_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Returns a plan, or NULL for wrong arguments. `block` is bytes per block of the allgather. `bytes` is the size of the
/// allreduce, a multiple of 8.
const collsched_plan* allgather_plan(int64_t ranks, int64_t block, int64_t rank);
const collsched_plan* allreduce_plan(int64_t ranks, int64_t bytes, int64_t rank);
/// Frees a plan.
void free_plan(const collsched_plan* plan);

#ifdef __cplusplus
}
#endif
