#include "collsched/collective/allreduce/allgather_reduce.hpp"

#include <doctest/doctest.h>

#include "collsched/core/digits.hpp"
#include "support/allreduces.hpp"
#include "support/brief.hpp"
#include "support/verified.hpp"

using namespace collsched;
using allreduce::allgather_reduce_trivance;

static_assert(support::allreduce_proved_up_to<support::of_bytes<allgather_reduce_trivance>, 7>);
static_assert(!allgather_reduce_trivance::info.commutative);

TEST_CASE("allreduce::allgather_reduce_trivance: correct for every p, operands in order, same bits on all ranks") {
    CHECK(support::check_allreduce(support::of_bytes<allgather_reduce_trivance>, true, 40) == 40);
    support::check_sums(support::of_bytes<allgather_reduce_trivance>);
}

TEST_CASE("allreduce::allgather_reduce_trivance: ceil(log3 p) rounds, (p-1) m bytes sent and received") {
    for (rank_t p = 1; p <= support::most(130); ++p)
        support::check_traffic(allgather_reduce_trivance{.ranks = p, .bytes = 24, .element = 8}, ceil_log(3, p),
                               24 * (p - 1), 24 * (p - 1));
}
