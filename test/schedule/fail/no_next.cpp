// expect: static assertion failed.*a schedule needs `collsched::step_t next\(rank, step\) const`
// A schedule without next().

#include "collsched/collective/allgather/ring.hpp"
#include "collsched/verify.hpp"

using namespace collsched;

struct unordered : detail::schedule_of<allgather::ring> {
    void next() const;
};

int main() { return static_cast<int>(verify(unordered(detail::schedule_of<allgather::ring>(allgather::ring{}))).byte); }
