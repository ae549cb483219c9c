// expect: static assertion failed.*an algorithm needs `static constexpr collsched::algorithm_info info`
// An algorithm whose info is of another type.

#include "collsched/collective/allgather/ring.hpp"
#include "collsched/verify.hpp"

using namespace collsched;

struct nameless : allgather::ring {
    static constexpr int info = 0;
};

int main() { return static_cast<int>(verify(nameless{}).byte); }
