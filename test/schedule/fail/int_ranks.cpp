// expect: static assertion failed.*an algorithm needs a data member `collsched::rank_t ranks`, public and of exactly this type
// An algorithm that counts ranks in an int.

#include "collsched/collective/allgather/ring.hpp"
#include "collsched/verify.hpp"

using namespace collsched;

struct small_ring : allgather::ring {
    int ranks = 3;
};

int main() { return static_cast<int>(verify(small_ring{}).byte); }
