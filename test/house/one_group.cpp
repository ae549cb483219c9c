// The program of one_allreduce.cpp by a group with one named algorithm. test/house/compile_budget.py measures its
// compilation.

#include <cstdint>
#include <functional>
#include <vector>

#include "collsched/collective/allreduce/ring.hpp"
#include "collsched/group/threads.hpp"

using namespace collsched;

int main() {
    return run_threads(4, {.policy = policies::named(allreduce::ring{})}, [](auto& all) {
        std::vector<std::int64_t> sums(8, 1);
        return all.allreduce(sums, std::plus<>()).ok() ? 0 : 1;
    });
}
