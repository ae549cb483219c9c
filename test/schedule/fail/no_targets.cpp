// expect: static assertion failed.*an algorithm needs `targets\(rank, step, f\) const`
// An algorithm whose targets() cannot be called.

#include "collsched/collective/allgather/ring.hpp"
#include "collsched/verify.hpp"

using namespace collsched;

struct silent_ring : allgather::ring {
    void targets() const;
};

int main() { return static_cast<int>(verify(silent_ring{}).byte); }
