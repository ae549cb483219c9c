// Runs a table written by `collsched show --c`: all ranks in one process, edge by edge. That order is correct because
// no edge of a step reads bytes that a copy of the step writes, and an allgather does not combine.

#include <stdio.h>
#include <string.h>

#include "allgather_neighbor_exchange_6.h"

enum { block = 4, most = 64 };

static unsigned char memory[6][3][most];  // by rank and buffer

int main(void) {
    const int64_t ranks = allgather_neighbor_exchange_6_ranks;
    for (int64_t r = 0; r < ranks; ++r) {
        if (allgather_neighbor_exchange_6_input[r] != block || allgather_neighbor_exchange_6_output[r] != 6 * block ||
            allgather_neighbor_exchange_6_scratch[r] > most || allgather_neighbor_exchange_6_staging[r] != 0)
            return 1;
        memset(memory[r][collsched_input], 'a' + (int)r, block);
    }
    for (int64_t i = 0; i < allgather_neighbor_exchange_6_edge_count; ++i) {
        const collsched_edge* e = &allgather_neighbor_exchange_6_edges[i];
        if (e->action != collsched_copy || e->step >= allgather_neighbor_exchange_6_steps) return 1;
        memcpy(memory[e->dst][e->into] + e->into_offset, memory[e->src][e->from] + e->from_offset, (size_t)e->size);
    }
    for (int64_t r = 0; r < ranks; ++r) {
        printf("rank %lld has gathered %.24s\n", (long long)r, (const char*)memory[r][collsched_output]);
        if (memcmp(memory[r][collsched_output], "aaaabbbbccccddddeeeeffff", 24) != 0) return 1;
    }
    return 0;
}
