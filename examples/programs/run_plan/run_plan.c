// Runs plans of C++ in C11: all ranks in one process, each vertex as soon as its dependencies are complete.

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plans.h"

enum { ranks = 5, most = 4096 };

struct rank {
    const collsched_plan* plan;
    unsigned char memory[4][most];  // by area
    bool* ended;                    // by vertex
};

static struct rank all[ranks];

static bool ready(const struct rank* r, const collsched_node* n) {
    for (int64_t i = 0; i < n->predecessors; ++i)
        if (!r->ended[r->plan->predecessors[n->first_predecessor + i]]) return false;
    return !r->ended[n - r->plan->nodes];
}

/// Returns the receive that matches a send of `sender`, if it is ready; else NULL.
static const collsched_node* receive_of(int64_t sender, const collsched_node* send) {
    const struct rank* r = &all[send->peer];
    for (const collsched_node* n = r->plan->nodes; n != r->plan->nodes + r->plan->nodes_count; ++n)
        if (n->op == collsched_receive && n->peer == sender && n->sequence == send->sequence)
            return ready(r, n) ? n : NULL;
    return NULL;
}

static void transfer(struct rank* from, const collsched_node* send, struct rank* to, const collsched_node* receive) {
    unsigned char wire[most];  // both ends have the same bytes in the same order, but may cut them differently
    size_t at = 0;
    for (int64_t i = 0; i < send->parts; ++i) {
        const collsched_part* p = &from->plan->parts[send->first_part + i];
        memcpy(wire + at, from->memory[p->area] + p->offset, (size_t)p->size);
        at += (size_t)p->size;
    }
    at = 0;
    for (int64_t i = 0; i < receive->parts; ++i) {
        const collsched_part* p = &to->plan->parts[receive->first_part + i];
        memcpy(to->memory[p->area] + p->offset, wire + at, (size_t)p->size);
        at += (size_t)p->size;
    }
    from->ended[send - from->plan->nodes] = to->ended[receive - to->plan->nodes] = true;
}

/// Executes local work: a copy, or the sum of 64-bit integers, whose order is irrelevant.
static void work(struct rank* r, const collsched_node* n) {
    unsigned char* into = r->memory[n->into_area] + n->into_offset;
    const unsigned char* from = r->memory[n->from_area] + n->from_offset;
    if (n->action == collsched_action_copy) memcpy(into, from, (size_t)n->size);
    for (int64_t i = 0; n->action != collsched_action_copy && i < n->size; i += 8) {
        int64_t a, b;
        memcpy(&a, into + i, 8);
        memcpy(&b, from + i, 8);
        a += b;
        memcpy(into + i, &a, 8);
    }
    r->ended[n - r->plan->nodes] = true;
}

/// Visits all vertices of a rank once. Returns the number of completed vertices.
static int64_t progress(int64_t rank) {
    struct rank* r = &all[rank];
    int64_t ended = 0;
    for (const collsched_node* n = r->plan->nodes; n != r->plan->nodes + r->plan->nodes_count; ++n) {
        if (n->op == collsched_receive || !ready(r, n)) continue;
        if (n->op == collsched_send) {
            const collsched_node* receive = receive_of(rank, n);
            if (receive == NULL) continue;
            transfer(r, n, &all[n->peer], receive);
        } else if (n->op == collsched_join) {
            r->ended[n - r->plan->nodes] = true;
        } else {
            work(r, n);
        }
        ++ended;
    }
    return ended;
}

/// Binds memory and runs until no vertex can progress. Returns whether all are complete.
static bool run(const collsched_plan* (*make)(int64_t, int64_t, int64_t), int64_t bytes) {
    bool complete = true;
    for (int64_t r = 0; r < ranks; ++r) {
        all[r].plan = make(ranks, bytes, r);
        if (all[r].plan == NULL) return false;
        const collsched_plan* p = all[r].plan;
        if (p->input_bytes > most || p->output_bytes > most || p->scratch_bytes > most || p->staging_bytes > most)
            return false;
        all[r].ended = calloc((size_t)p->nodes_count + 1, sizeof(bool));
    }
    for (int64_t ended = 1; ended > 0;) {
        ended = 0;
        for (int64_t r = 0; r < ranks; ++r) ended += progress(r);
    }
    for (int64_t r = 0; r < ranks; ++r) {
        for (int64_t i = 0; i < all[r].plan->nodes_count; ++i) complete = complete && all[r].ended[i];
        free(all[r].ended);
        free_plan(all[r].plan);
    }
    return complete;
}

int main(void) {
    int wrong = 0;
    for (int r = 0; r < ranks; ++r) memset(all[r].memory[collsched_area_input], 'a' + r, 3);
    wrong += !run(allgather_plan, 3);
    for (int r = 0; r < ranks; ++r) {
        printf("rank %d has gathered %.15s\n", r, (const char*)all[r].memory[collsched_area_output]);
        wrong += memcmp(all[r].memory[collsched_area_output], "aaabbbcccdddeee", 15) != 0;
    }
    for (int r = 0; r < ranks; ++r)
        for (int64_t i = 0; i < 7; ++i) memcpy(all[r].memory[collsched_area_input] + 8 * i, &(int64_t){100 * i + r}, 8);
    wrong += !run(allreduce_plan, 56);
    for (int r = 0; r < ranks; ++r) {
        int64_t sums[7];
        memcpy(sums, all[r].memory[collsched_area_output], sizeof sums);
        printf("rank %d has summed", r);
        for (int64_t i = 0; i < 7; ++i) {
            printf(" %lld", (long long)sums[i]);
            wrong += sums[i] != 500 * i + 10;
        }
        printf("\n");
    }
    wrong += allgather_plan(ranks, 3, ranks) != NULL;  // an invalid rank
    return wrong == 0 ? 0 : 1;
}
