#include "collsched/collective/allreduce/over_forest.hpp"

#include <doctest/doctest.h>

#include "collsched/verify/verify.hpp"
#include "support/allreduces.hpp"
#include "support/random_forest.hpp"
#include "support/verified.hpp"

using namespace collsched;
using allreduce::over_forest;

static_assert(over_forest::info.commutative && over_forest::info.collective == collective::allreduce);
static_assert(proved<verify(over_forest{
                  .ranks = 3, .bytes = 44, .element = 4, .of = {.segment = 8, .forest = support::three_ranks()}})>);
static_assert(
    proved<verify(over_forest{.ranks = 3, .bytes = 2, .of = {.forest = support::three_ranks()}}, binding::in_place)>);

namespace {

over_forest in_segments(rank_t p, bytes_t bytes, bytes_t element) {
    return {.ranks = p,
            .bytes = bytes,
            .element = element,
            .of = {.segment = 2 * element, .forest = support::random_forest(static_cast<std::uint64_t>(p), p)}};
}

}  // namespace

TEST_CASE("allreduce::over_forest: right for messages of all kinds, with the same bits on all ranks") {
    CHECK(support::check_allreduce(in_segments, false, 20) == 20);
    support::check_sums(in_segments);
}

TEST_CASE(
    "allreduce::over_forest: verified for every p up to 64; rounds and messages are twice those of the allgather") {
    for (rank_t p = 1; p <= 64; ++p)
        for (const bytes_t n : {rank_t{3}, 11 * p + 1}) {
            INFO(p, " ", n);
            const over_forest x = in_segments(p, 4 * n, 4);
            CHECK(support::verified(x).ok());
            const metrics_report m = support::measured(x);
            const metrics_report one = support::measured(
                allgather::over_forest{.ranks = p,
                                       .block = block_layout::partition(4 * n, p, 4),
                                       .element = 4,
                                       .segment = 8,
                                       .forest = support::random_forest(static_cast<std::uint64_t>(p), p)});
            CHECK(m.rounds == 2 * one.rounds);
            CHECK(m.messages == 2 * one.messages);
            for (rank_t r = 0; r < p; ++r) {
                CHECK(m.bytes_sent[r] == one.bytes_sent[r] + one.bytes_received[r]);
                CHECK(m.bytes_received[r] == m.bytes_sent[r]);
                CHECK(m.scratch[r] == 0);
            }
        }
}

TEST_CASE("allreduce::over_forest: the forest is checked, and is a part of the fingerprint") {
    over_forest x = in_segments(4, 64, 4);
    const std::uint64_t before = fingerprint(x);
    CHECK(!check(x));
    x.of.forest = support::random_forest(9, 4);
    CHECK(fingerprint(x) != before);
    x.of.forest = support::random_forest(9, 5);
    CHECK(check(x) == argument_error{"ranks", 4, "as many ranks as the forest has"});
}
