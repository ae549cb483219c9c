// expect: static assertion failed.*an algorithm needs `static void parameters\(auto& self, auto f\)`
// An algorithm without parameters().

#include "collsched/collective/allgather/ring.hpp"
#include "collsched/verify.hpp"

using namespace collsched;

struct undescribed : allgather::ring {
    static void parameters();
};

int main() { return static_cast<int>(verify(undescribed{}).byte); }
