#include "collsched/schedule/static_schedule.hpp"

#include <doctest/doctest.h>

#include "collsched/collective/allgather/bruck.hpp"
#include "collsched/collective/allgather/recursive_doubling.hpp"
#include "collsched/collective/scatter/linear.hpp"
#include "collsched/verify/verify.hpp"

using namespace collsched;

namespace {

using eight = static_schedule<[] { return allgather::recursive_doubling{.ranks = 8, .block = 4}; }>;
using gapped = static_schedule<[] {
    constexpr bytes_t counts[] = {2, 0, 3}, displs[] = {4, 0, 0};
    return allgather::bruck{.ranks = 3, .block = block_layout(counts, displs)};
}>;

static_assert(eight::edges.size() == 3 * 8 + 8);
static_assert(sizeof(eight::edges) == 32 * sizeof(edge));
static_assert(schedule<eight> && schedule<gapped>);
static_assert(proved<verify(eight{})>);
static_assert(proved<verify(gapped{})>);

}  // namespace

TEST_CASE("static_schedule: a static schedule has exactly the edges of the schedule it is made from") {
    const stored_schedule stored = materialize(allgather::recursive_doubling{.ranks = 8, .block = 4});
    REQUIRE(stored.edges().size() == eight::edges.size());
    for (std::size_t i = 0; i < eight::edges.size(); ++i) CHECK(eight::edges[i] == stored.edges()[i]);
    CHECK(eight::fingerprint() == stored.fingerprint());
    CHECK(materialize(eight{}) == stored);
    CHECK(gapped::contract().blocks.displ(0) == 4);
}

TEST_CASE("static_schedule: derived algorithms become tables too") {
    using table = static_schedule<[] { return scatter::linear{.ranks = 5, .block = 4}; }>;
    static_assert(table::ranks == 5 && table::edges.size() == 5);
    CHECK(verify(table{}).ok());
}
