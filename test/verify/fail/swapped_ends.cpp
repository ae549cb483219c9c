// expect: static assertion failed.*the schedule is wrong: the template arguments have the finding
// An algorithm whose message() exchanges its ends.

#include "collsched/collective/allgather/ring.hpp"
#include "collsched/verify.hpp"

using namespace collsched;

struct swapped_ring : allgather::ring {
    constexpr void message(rank_t dst, rank_t src, step_t k, auto f) const { ring::message(src, dst, k, f); }
};

constexpr swapped_ring swapped{{.ranks = 5, .block = 4}};
static_assert(proved<verify(swapped)>);
