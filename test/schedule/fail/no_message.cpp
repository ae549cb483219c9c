// expect: static assertion failed.*an algorithm needs `message\(src, dst, step, f\) const`
// An algorithm with peers but without messages.

#include "collsched/collective/allgather/ring.hpp"
#include "collsched/verify.hpp"

using namespace collsched;

struct empty_ring : allgather::ring {
    void message() const;
};

int main() { return static_cast<int>(verify(empty_ring{}).byte); }
