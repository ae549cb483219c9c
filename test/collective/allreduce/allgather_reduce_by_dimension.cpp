#include "collsched/collective/allreduce/allgather_reduce.hpp"

#include <doctest/doctest.h>

#include "support/allreduces.hpp"
#include "support/brief.hpp"
#include "support/verified.hpp"

using namespace collsched;
using allreduce::allgather_reduce_by_dimension;

namespace {

constexpr auto rows_of_2 = [](rank_t p, bytes_t bytes, bytes_t element) {
    return allgather_reduce_by_dimension{
        .ranks = p, .bytes = bytes, .element = element, .of = {.group = 2, .radix = 2}};
};

}  // namespace

static_assert(support::allreduce_proved_up_to<rows_of_2, 6>);
static_assert(!allgather_reduce_by_dimension::info.commutative);

TEST_CASE("allreduce::allgather_reduce_by_dimension: correct for every p, operands in order, same bits on all ranks") {
    CHECK(support::check_allreduce(support::of_bytes<allgather_reduce_by_dimension>, true, 40) == 40);
    CHECK(support::check_allreduce(rows_of_2, true, 24) == 24);
    support::check_sums(rows_of_2);
}

TEST_CASE(
    "allreduce::allgather_reduce_by_dimension: rounds and bytes are those of the allgather, with p m of scratch") {
    for (rank_t p = 1; p <= support::most(60); ++p)
        for (const rank_t group : {1, 3, 8}) {
            CAPTURE(p);
            CAPTURE(group);
            const metrics_report m = support::measured(
                allgather_reduce_by_dimension{.ranks = p, .bytes = 24, .element = 8, .of = {.group = group}});
            const metrics_report gathered =
                support::measured(allgather::by_dimension{.ranks = p, .block = 24, .group = group});
            CHECK(m.rounds == gathered.rounds);
            for (rank_t r = 0; r < p; ++r) {
                CHECK(m.bytes_sent[r] == gathered.bytes_sent[r]);
                CHECK(m.bytes_received[r] == 24 * (p - 1));
                CHECK(m.scratch[r] == (p > 1 ? 24 * p : 0));
            }
        }
}
