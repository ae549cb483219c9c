// All collectives of a group over MPI, on the ranks that the program is started with, and groups made of it.

#include <cstdio>
#include <string>
#include <vector>

#include "algorithms/algorithms.hpp"
#include "collsched/group/mpi.hpp"
#include "collsched/group/table_policies.hpp"
#include "support/group_cases.hpp"

using namespace collsched;

namespace {

std::string fault_of(auto& all) {
    for (const std::int64_t n : {1, 0, 5, 3000})
        for (const rank_t root : {rank_t{0}, all.ranks() - 1})
            if (const std::string wrong = support::run_group_cases(all, n, root); !wrong.empty())
                return "n " + std::to_string(n) + ", " + wrong;
    auto twin = all.dup();
    std::vector<std::int64_t> colors;
    for (rank_t r = 0; r < all.ranks(); ++r) colors.push_back(r % 2);
    auto half = all.split(colors);
    for (auto* one : {&twin, &half})
        if (const std::string wrong = support::run_group_cases(*one, 3, 0); !wrong.empty())
            return "of a part: " + wrong;
    return "";
}

}  // namespace

int main() {
    return run_mpi({.policy = policies::built_in(compiled::whole_registry())}, [](auto& all) {
        const std::string fault = fault_of(all);
        if (!fault.empty()) std::fprintf(stderr, "rank %d: %s\n", static_cast<int>(all.rank()), fault.c_str());
        return fault.empty() ? 0 : 1;
    });
}
