// Built without exceptions and run-time types, where errors are values. Exits with the number of failed expectations.

#include <cstdio>
#include <vector>

#include "collsched/collective.hpp"
#include "collsched/execute/inline.hpp"
#include "collsched/format/schedules/write_msccl.hpp"
#include "collsched/format/schedules/write_mscclpp.hpp"
#include "collsched/schedule.hpp"
#include "collsched/verify.hpp"

using namespace collsched;

static_assert(COLLSCHED_EXCEPTIONS == 0);

namespace {

int surprises = 0;

void expect(bool good, const char* what) {
    if (good) return;
    std::printf("surprise: %s\n", what);
    ++surprises;
}

int count(auto view) {
    int n = 0;
    for (const edge& e : view) n += e.size >= 0 ? 1 : 0;
    return n;
}

}  // namespace

int main() {
    const allgather::ring good{.ranks = 4, .block = 2}, bad{.ranks = 0, .block = 2}, negative{.ranks = 2, .block = -2};
    expect(!check(good), "a good schedule is refused");
    expect(check(bad).value == 0 && check(bad), "no ranks are accepted");
    expect(check(negative).value == -2, "a negative block is accepted");

    expect(count(edges(bad)) == 0 && count(program(good, 4)) == 0 && count(edges_at(good, 9)) == 0,
           "a refused view has edges");
    expect(program(good, 4).check_walk().value == 4, "a rank outside is not reported");
    expect(materialize(bad).check().value == 0 && materialize(bad).check(), "a refused schedule is stored");
    expect(metrics(bad).messages == 0, "a refused schedule is measured");
    expect(verify(bad).finding == verdict::kind::bad_argument && verify(good).ok(), "verdicts");
    expect(plan(good, -1).check().value == -1 && plan(good, -1).nodes().empty(), "a plan for no rank");
    expect(!plan(good, 3).check(), "a good plan is refused");

    const detail::mscclpp_plan fitting(good),
        excessive(allgather::ring{.ranks = 20, .block = 4});  // of 64 operations per rank
    expect(!fitting.check() && fitting.gpus().size() == 4, "MSCCL++ rejects a schedule within its limits");
    expect(excessive.check() && excessive.gpus().empty(), "a plan beyond the limits of MSCCL++ has ranks");
    expect(!check_mscclpp(good) && check_mscclpp(allgather::ring{.ranks = 20, .block = 4}), "limits of MSCCL++");
    const msccl_program crowded(broadcast::over_tree<trees::binomial>{.ranks = 1025, .bytes = 4});  // of 1024
    expect(crowded.check() && crowded.gpus().empty(), "a program beyond the limits of MSCCL has ranks");

    std::vector<std::byte> in(2), out(8);
    const std::vector<rank_memory> memory(4, {in, out});
    expect(run_inline(good, memory).done(), "a good schedule does not run");
    return surprises;
}
