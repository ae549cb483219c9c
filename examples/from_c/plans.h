/// What the C++ side gives to programs in C: a plan for one rank, and its end.
#pragma once

#include "collsched/execute/flat_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/// NULL for wrong arguments. Bytes of a block, of the allgather; of the whole, in elements of 8, of the allreduce.
const collsched_plan* allgather_plan(int64_t ranks, int64_t block, int64_t rank);
const collsched_plan* allreduce_plan(int64_t ranks, int64_t bytes, int64_t rank);
void free_plan(const collsched_plan* plan);

#ifdef __cplusplus
}
#endif
