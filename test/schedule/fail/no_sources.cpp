// expect: static assertion failed.*an algorithm needs `sources\(rank, step, f\) const`
// An algorithm whose sources() cannot be called: the message names the member, a note the type.

#include "collsched/collective/allgather/ring.hpp"
#include "collsched/verify.hpp"

using namespace collsched;

struct two_way_ring : allgather::ring {
    void sources() const;
};

int main() { return static_cast<int>(verify(two_way_ring{}).byte); }
