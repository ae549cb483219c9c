#pragma once

/// @file
/// One rank's plan as plain numbers, for C11 and C++: see flat_plan.hpp, which fills it in, and docs/execute.md.

#include <stdint.h>

/// What a node does; of collsched_node::op.
enum { collsched_send, collsched_receive, collsched_local, collsched_apply, collsched_join };

/// Memory of the rank; the first three are numbered as in a table that `collsched show --c` writes.
enum { collsched_area_input, collsched_area_output, collsched_area_scratch, collsched_area_staging };

/// What happens to the bytes at the target; numbered as in those tables.
enum { collsched_action_copy, collsched_action_combine_before, collsched_action_combine_after };

/// Bytes of a message in the memory of this rank.
typedef struct collsched_part {
    int64_t area, offset, size;
} collsched_part;

/// It may begin when all its predecessors have ended. What is of no meaning for its op is 0; of a join all but the last line.
typedef struct collsched_node {
    int64_t op;
    int64_t step;
    int64_t size;                                            ///< bytes; 0 of a message: a signal
    int64_t peer, sequence;                                  ///< of a message: the other rank, and the number among
                                                             ///< those of this pair and direction, alike at both ends
    int64_t first_part, parts;                               ///< of a message: its bytes in order
    int64_t from_area, from_offset, into_area, into_offset;  ///< of local and apply
    int64_t action;                                          ///< of local and apply
    int64_t first_predecessor, predecessors;                 ///< into collsched_plan::predecessors
    int64_t first_successor, successors;                     ///< into collsched_plan::successors
} collsched_node;

typedef struct collsched_plan {
    uint64_t fingerprint;  ///< of the schedule, alike on all ranks
    int64_t rank;
    int64_t input_bytes, output_bytes, scratch_bytes, staging_bytes;
    int64_t host_area, guest_area, guest_offset;  ///< in place the guest begins so far into the host; else both are one
    int64_t combines;                             ///< 1: some node combines, which takes an operation
    int64_t reorders;                             ///< 1: that operation must be commutative
    int64_t nodes_count, parts_count, orders_count;
    const collsched_node* nodes;
    const collsched_part* parts;
    const int64_t* predecessors;  ///< orders_count nodes
    const int64_t* successors;    ///< the same orders the other way
} collsched_plan;
