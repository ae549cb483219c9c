// expect: static assertion failed.*message\(src, dst, step, f\) must call f\(block_interval\)
// An algorithm whose message() gives edges.

#include "collsched/collective/allgather/ring.hpp"
#include "collsched/verify.hpp"

using namespace collsched;

struct edge_ring : allgather::ring {
    void message(rank_t, rank_t, step_t, auto f) const { f(edge{}); }
};

int main() { return static_cast<int>(verify(edge_ring{}).byte); }
