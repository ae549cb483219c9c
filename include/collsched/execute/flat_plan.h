#pragma once

/// @file
/// One rank's plan as plain numbers, for C11 and C++: see flat_plan.hpp, which fills it in, and docs/execute.md.

#include <stdint.h>

/// Operation of a node: collsched_node::op.
enum {
    collsched_send,     ///< send a message to `peer`
    collsched_receive,  ///< receive a message from `peer`
    collsched_local,    ///< copy or combine bytes within the rank
    collsched_apply,    ///< combine operands that a message has left in staging, or a message with its operand in input
    collsched_join      ///< no operation: its successors wait for all its predecessors
};

/// Memory of the rank. The first three have the numbers of the tables that `collsched show --c` writes.
enum {
    collsched_area_input,    ///< input, which is only read
    collsched_area_output,   ///< output
    collsched_area_scratch,  ///< scratch, without content between starts
    collsched_area_staging   ///< staging: operands that wait to be combined
};

/// Effect of a node on the bytes of its target. The numbers are those of the tables that `collsched show --c` writes.
enum {
    collsched_action_copy,            ///< into = from
    collsched_action_combine_before,  ///< into = from op into
    collsched_action_combine_after    ///< into = into op from
};

/// Contiguous byte range of a message in the memory of this rank.
typedef struct collsched_part {
    int64_t area,  ///< a collsched_area_ constant
        offset,    ///< first byte, from the beginning of that memory
        size;      ///< number of bytes
} collsched_part;

/// Operation of a plan. It may begin when all its predecessors have ended. Members that its op does not use are 0. A
/// collsched_join uses only predecessors and successors.
typedef struct collsched_node {
    int64_t op;          ///< collsched_send, ..., collsched_join
    int64_t step;        ///< step of the schedule, 0 or more
    int64_t size;        ///< bytes; 0 for a message: a signal
    int64_t peer,        ///< message: the other rank
        sequence;        ///< message: its number, 0, 1, ..., among those of this pair and direction; equal at both ends
    int64_t first_part,  ///< message: index of its first range in collsched_plan::parts
        parts;           ///< message: number of its ranges, which are consecutive; 0 for a signal
    int64_t from_area,   ///< local and apply: memory of the source, a collsched_area_ constant
        from_offset,     ///< local and apply: first byte of the source
        into_area,       ///< local and apply: memory of the target, a collsched_area_ constant
        into_offset;     ///< local and apply: first byte of the target
    int64_t action;      ///< local and apply: a collsched_action_ constant
    int64_t first_predecessor,  ///< index of its first entry in collsched_plan::predecessors
        predecessors;           ///< number of nodes that it waits for
    int64_t first_successor,    ///< index of its first entry in collsched_plan::successors
        successors;             ///< number of nodes that wait for it
} collsched_node;

/// Plan of one rank. The arrays belong to the flat_plan whose view() returned this struct.
typedef struct collsched_plan {
    uint64_t fingerprint;         ///< hash of the schedule's description, equal on all ranks
    int64_t rank;                 ///< the rank, 0 .. p-1
    int64_t input_bytes,          ///< smallest size of input
        output_bytes,             ///< smallest size of output
        scratch_bytes,            ///< smallest size of scratch
        staging_bytes;            ///< smallest size of staging
    int64_t host_area,            ///< in place: the buffer that contains the guest, a collsched_area_ constant
        guest_area,               ///< in place: the buffer within the host; equal to host_area if buffers are separate
        guest_offset;             ///< in place: offset of the guest in the host, in bytes
    int64_t combines;             ///< 1: some node combines, which requires an operation; else 0
    int64_t reorders;             ///< 1: that operation must be commutative; else 0
    int64_t nodes_count,          ///< number of nodes
        parts_count,              ///< number of parts
        orders_count;             ///< number of predecessors, and of successors, of all nodes
    const collsched_node* nodes;  ///< nodes_count operations; messages are in program order: step, source, destination
    const collsched_part* parts;  ///< parts_count ranges of messages: those of all sends, then those of all receives
    const int64_t* predecessors;  ///< orders_count indices of nodes
    const int64_t* successors;    ///< orders_count indices of nodes: the same orders in the other direction
} collsched_plan;
