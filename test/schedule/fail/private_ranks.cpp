// expect: static assertion failed.*an algorithm needs a data member `collsched::rank_t ranks`, public and of exactly this type
// An algorithm whose number of ranks is private.

#include "collsched/collective/allgather/ring.hpp"
#include "collsched/verify.hpp"

using namespace collsched;

struct closed_ring : allgather::ring {
  private:
    using allgather::ring::ranks;
};

int main() { return static_cast<int>(verify(closed_ring{}).byte); }
