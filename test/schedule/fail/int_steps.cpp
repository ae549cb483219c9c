// expect: static assertion failed.*an algorithm needs `collsched::step_t steps\(\) const`, with exactly this return type
// An algorithm that counts steps in an int.

#include "collsched/collective/allgather/ring.hpp"
#include "collsched/verify.hpp"

using namespace collsched;

struct short_ring : allgather::ring {
    int steps() const { return 2; }
};

int main() { return static_cast<int>(verify(short_ring{}).byte); }
