#include "collsched/collective/over_forest.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <utility>

#include "collsched/schedule/stored_schedule.hpp"
#include "collsched/verify/verify.hpp"
#include "support/allreduces.hpp"
#include "support/brief.hpp"
#include "support/parameters.hpp"
#include "support/random_forest.hpp"
#include "support/verified.hpp"

using namespace collsched;
using allreduce::over_forest;

static_assert(support::has_parameters<allreduce::over_forest>({{"window", 1}}));
static_assert(over_forest::info.commutative && over_forest::info.collective == collective::allreduce);
static_assert(
    proved<verify(over_forest{.ranks = 3, .bytes = 44, .element = 4, .segment = 8, .forest = support::three_ranks()})>);
static_assert(proved<verify(over_forest{.ranks = 3, .bytes = 2, .forest = support::three_ranks()}, binding::in_place)>);

namespace {

over_forest in_segments(rank_t p, bytes_t bytes, bytes_t element) {
    return {.ranks = p,
            .bytes = bytes,
            .element = element,
            .segment = 2 * element,
            .forest = support::random_forest(static_cast<std::uint64_t>(p), p)};
}

}  // namespace

TEST_CASE("allreduce::over_forest: right for messages of all kinds, with the same bits on all ranks") {
    CHECK(support::check_allreduce(in_segments, false, 20) == 20);
    support::check_sums(in_segments);
}

TEST_CASE(
    "allreduce::over_forest: verified for every p up to 64; rounds and messages are twice those of the allgather") {
    for (rank_t p = 1; p <= support::most(64); ++p)
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

TEST_CASE("allreduce::over_forest: over two forests, operands go up one and results go down the other") {
    for (rank_t p = 1; p <= 24; ++p)
        for (const bytes_t n : {rank_t{3}, 11 * p + 1}) {
            INFO(p, " ", n);
            const auto seed = static_cast<std::uint64_t>(p);
            over_forest x = in_segments(p, 4 * n, 4);
            x.reversed_forest = support::random_forest(seed + 100, p);
            CHECK(support::verified(x).ok());
            CHECK(verify(x, binding::in_place).ok());
            allgather::over_forest half{.ranks = p,
                                        .block = block_layout::partition(4 * n, p, 4),
                                        .element = 4,
                                        .segment = 8,
                                        .forest = x.forest};
            const metrics_report down = support::measured(half);
            half.forest = x.reversed_forest;
            const metrics_report up = support::measured(half), both = support::measured(x);
            CHECK(both.messages == up.messages + down.messages);
            for (rank_t r = 0; r < p; ++r) {
                CHECK(both.bytes_sent[r] == up.bytes_received[r] + down.bytes_sent[r]);
                CHECK(both.bytes_received[r] == up.bytes_sent[r] + down.bytes_received[r]);
            }
        }
}

TEST_CASE("allreduce::over_forest: one forest is the same as two equal ones") {
    const over_forest one = in_segments(7, 116, 4);
    over_forest two = one;
    two.reversed_forest = one.forest;
    const stored_schedule first = materialize(one), second = materialize(two);
    CHECK(std::ranges::equal(first.edges(), second.edges()));
    CHECK(lower(one).pacing().window == lower(two).pacing().window);
    two.window = 0;
    CHECK(lower(two).pacing().window == 0);
}

TEST_CASE("allreduce::over_forest: the window allows for the longest path of both forests") {
    const over_forest with_switches = in_segments(9, 360, 4);
    over_forest x = in_segments(9, 360, 4);
    x.forest = support::random_forest(2, 9);  // paths without switches
    x.reversed_forest = with_switches.forest;
    CHECK(lower(over_forest{.ranks = 9, .bytes = 360, .forest = x.forest}).pacing().window == 2);
    CHECK(lower(with_switches).pacing().window == 3);
    CHECK(lower(x).pacing().window == 3);
    std::swap(x.forest, x.reversed_forest);
    CHECK(lower(x).pacing().window == 3);
}

TEST_CASE("allreduce::over_forest: the forest is checked, and is a part of the fingerprint") {
    over_forest x = in_segments(4, 64, 4);
    const std::uint64_t before = fingerprint(x);
    CHECK(!check(x));
    x.forest = support::random_forest(9, 4);
    CHECK(fingerprint(x) != before);
    x.reversed_forest = support::random_forest(8, 4);
    CHECK(fingerprint(x) != before);
    CHECK(!check(x));
    x.reversed_forest = support::random_forest(8, 5);
    CHECK(check(x) == argument_error{"ranks", 4, "as many ranks as the forest has"});
    x.reversed_forest = trees::planned_forest(argument_error{"total", 0, "1 or more"});
    CHECK(check(x) == argument_error{"total", 0, "1 or more"});
    x.reversed_forest = {};
    CHECK(!check(x));
    x.forest = support::random_forest(9, 5);
    CHECK(check(x) == argument_error{"ranks", 4, "as many ranks as the forest has"});
}
