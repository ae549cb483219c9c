#include "collsched/group/group.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <set>
#include <vector>

using namespace collsched;

namespace {

/// Notes the calls that are to be run.
struct noting : detail::collective_functions<noting> {
    outcome run(const collective_call& call) {
        calls.push_back(call);
        return {.status = {.state = run_status::phase::done}};
    }
    std::vector<collective_call> calls;
};

}  // namespace

TEST_CASE("collective_functions: each function runs the call of its name") {
    std::vector<int> in(4), out(4);
    const std::vector<std::int64_t> counts{1, 1};
    const neighborhood graph;
    const std::plus<> op;
    noting all;
    CHECK(all.barrier().ok());
    CHECK((all.broadcast(in, 1).ok() && all.scatter(in, out, 1).ok() && all.gather(in, out, 1).ok()));
    CHECK((all.allgather(in, out).ok() && all.reduce(in, out, op, 1).ok() && all.allreduce(in, op).ok()));
    CHECK((all.reduce_scatter(in, out, op).ok() && all.scan(in, out, op).ok() && all.exscan(in, op).ok()));
    CHECK((all.alltoall(in, out).ok() && all.neighbor_allgather(in, out, graph).ok()));
    CHECK(all.neighbor_alltoall(in, out, graph).ok());
    std::set<collective> found;
    for (const collective_call& call : all.calls) {
        found.insert(call.collective);
        CHECK((call.blocks.counts.empty() && call.root == (is_rooted(call.collective) ? 1 : 0)));
    }
    CHECK(found.size() == 13);

    all.calls.clear();
    CHECK((all.scatterv(in, out, counts, 1).ok() && all.gatherv(in, out, counts, 1).ok()));
    CHECK((all.allgatherv(in, out, counts).ok() && all.reduce_scatterv(in, out, counts, op).ok()));
    CHECK((all.alltoallv(in, counts, out, counts).ok() && all.neighbor_allgatherv(in, out, counts, graph).ok()));
    CHECK(all.neighbor_alltoallv(in, out, counts, graph).ok());
    found.clear();
    for (const collective_call& call : all.calls) {
        found.insert(call.collective);
        CHECK(call.blocks.counts.size() == 2);
    }
    CHECK(found.size() == 7);
}
