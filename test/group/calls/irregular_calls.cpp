#include "collsched/group/calls.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <vector>

using namespace collsched;

TEST_CASE("irregular calls: they refer to the counts of the caller") {
    using size = collective_call::size;
    std::vector<float> in(6), out(6);
    const std::vector<std::int64_t> counts{1, 2, 3}, displs{0, 1, 3};
    const neighborhood none;
    const std::plus<> op;
    for (const collective_call& call :
         {calls::scatterv(in, out, counts, 1), calls::gatherv(in, out, counts, 1), calls::allgatherv(in, out, counts),
          calls::reduce_scatterv(in, out, counts, op), calls::allgatherv(out, counts),
          calls::neighbor_allgatherv(in, out, counts, none), calls::neighbor_alltoallv(in, out, counts, none)}) {
        CHECK((call.sizes == size::counts && call.value == 4 && call.blocks.counts.data() == counts.data()));
        CHECK((call.blocks.displs.empty() && !call.has_own_counts()));
        CHECK((call.neighbors == &none) == has_neighbors(call.collective));
        CHECK(call.root == (is_rooted(call.collective) ? 1 : 0));
        CHECK((call.output.size() == 24 && call.input.size() == 24));
    }
    CHECK(calls::gatherv(in, out, collective_call::value_blocks(counts, displs)).blocks.displs.data() == displs.data());
    CHECK(calls::allgatherv(out, counts).binding == binding::in_place);
    const collective_call own = calls::alltoallv(in, counts, out, collective_call::value_blocks(displs, counts));
    CHECK((own.has_own_counts() && own.blocks.counts.data() == counts.data()));
    CHECK((own.received.counts.data() == displs.data() && own.received.displs.data() == counts.data()));
}
