// expect: wrong_schedule.*\{"missing"\}.*\{"step 2, rank 0"\}.*\{"output, byte 4"\}
// An allgather around a ring without its last hop: rank 0 lacks block 1. The compiler names finding, step, rank, buffer
// and byte.

#include "collsched/collective.hpp"
#include "collsched/verify.hpp"

using namespace collsched;

struct lazy_ring : allgather::ring {
    constexpr void targets(rank_t r, step_t k, auto f) const {
        if (k == 0 || r != 2) ring::targets(r, k, f);
    }
    constexpr void sources(rank_t r, step_t k, auto f) const {
        if (k == 0 || r != 0) ring::sources(r, k, f);
    }
};

constexpr lazy_ring lazy{{.ranks = 3, .block = 4}};
static_assert(proved<verify(lazy)>);
