// expect: is not a constant expression|call to non-
// An algorithm with a member that is not constexpr.

#include "collsched/collective/allgather/ring.hpp"
#include "collsched/verify.hpp"

using namespace collsched;

struct late_ring : allgather::ring {
    void targets(rank_t r, step_t k, auto f) const { ring::targets(r, k, f); }
};

constexpr late_ring late{{.ranks = 5, .block = 4}};
static_assert(proved<verify(late)>);
