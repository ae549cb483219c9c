#include "collsched/group/collective_call.hpp"

#include <doctest/doctest.h>

#include <array>

using namespace collsched;

TEST_CASE("collective_call: the default is a barrier without memory") {
    const collective_call none;
    CHECK((none.collective == collective::barrier && none.binding == binding::separate && none.root == 0));
    CHECK((none.sizes == collective_call::size::message && none.bytes == 0 && none.value == 1 && none.values == 0));
    CHECK((none.input.empty() && none.output.empty() && none.neighbors == nullptr && !none.wrong && !none.op.combine));
    CHECK((!none.has_own_counts() && !none.is_irregular()));
    CHECK(collective_call{.sizes = collective_call::size::counts}.is_irregular());
    CHECK(collective_call{.sizes = collective_call::size::own_counts}.has_own_counts());
}

TEST_CASE("collective_call::value_blocks: counts alone are blocks in order") {
    const std::array<std::int64_t, 2> counts{1, 2}, displs{3, 0};
    CHECK((collective_call::value_blocks(counts).counts.size() == 2 &&
           collective_call::value_blocks(counts).displs.empty()));
    CHECK(collective_call::value_blocks(counts, displs).displs[0] == 3);
    CHECK(collective_call::value_blocks().counts.empty());
}
