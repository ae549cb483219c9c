#include "collsched/collective/allreduce/reversals.hpp"

#include <doctest/doctest.h>

#include "support/allreduces.hpp"
#include "support/brief.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(support::allreduce_proved_up_to<support::of_bytes<allreduce::pat>, 9>);

TEST_CASE("allreduce::pat: correct for every number of ranks, with the same bits on all ranks") {
    CHECK(support::check_allreduce(support::of_bytes<allreduce::pat>, false) == 64);
    support::check_sums(support::of_bytes<allreduce::pat>);
}

TEST_CASE("allreduce::pat: twice the rounds of the allgather, 2 m (p-1)/p bytes per rank, up to an element per part") {
    for (const rank_t aggregate : {1, 2, 4, 64})
        for (rank_t p = 1; p <= support::most(70); ++p) {
            const auto make = [&](rank_t ranks, bytes_t bytes, bytes_t element) {
                return allreduce::pat{
                    .ranks = ranks, .bytes = bytes, .element = element, .of = {.aggregate = aggregate}};
            };
            const step_t there =
                support::measured(allgather::pat{.ranks = p, .block = 1, .aggregate = aggregate}).rounds;
            support::check_in_parts(make, p, 2 * there);
            CHECK(support::verified(make(p, 3 * p - 2, 1)).ok());
        }
    CHECK(check(allreduce::pat{.ranks = 7, .bytes = 8, .of = {.aggregate = 3}}).value == 3);
}
