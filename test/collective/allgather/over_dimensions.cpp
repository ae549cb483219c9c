#include "collsched/collective/allgather/over_dimensions.hpp"

#include <doctest/doctest.h>

#include <string>

#include "collsched/collective/allgather/circulant.hpp"
#include "collsched/collective/allgather/ring.hpp"
#include "collsched/collective/allgather/trivance.hpp"
#include "collsched/collective/allreduce/by_reversal.hpp"
#include "collsched/combine/reverse.hpp"
#include "collsched/core/digits.hpp"
#include "collsched/schedule/edge_views.hpp"
#include "collsched/schedule/metrics.hpp"
#include "collsched/verify/verify.hpp"
#include "support/brief.hpp"

using namespace collsched;

namespace {

using trivance = allgather::over_dimensions<allgather::trivance>;
using ring = allgather::over_dimensions<allgather::ring>;

/// Calls f(p, group, radix) for the grids of up to `most` ranks.
void for_each_grid(rank_t most, auto f) {
    for (rank_t p = 1; p <= most; ++p)
        for (const rank_t group : {1, 2, 3, 4, 5, 9})
            for (const std::int64_t radix : {2, 3, 4})
                if (!check(ring{.ranks = p, .group = group, .radix = radix})) f(p, group, radix);
}

}  // namespace

static_assert(proved<verify(trivance{.ranks = 12, .block = 4, .group = 4})>);
static_assert(proved<verify(ring{.ranks = 8, .block = 4, .group = 2, .radix = 2})>);

TEST_CASE("allgather::over_dimensions: correct on all grids, also its reverse and the allreduce of both") {
    int grids = 0;
    for_each_grid(support::most(60), [&](rank_t p, rank_t group, std::int64_t radix) {
        CAPTURE(p);
        CAPTURE(group);
        CAPTURE(radix);
        ++grids;
        CHECK(verify(trivance{.ranks = p, .block = 2, .group = group, .radix = radix}).ok());
        CHECK(verify(ring{.ranks = p, .block = 2, .group = group, .radix = radix}).ok());
        CHECK(verify(allgather::over_dimensions<allgather::circulant>{
                         .ranks = p, .block = 2, .group = group, .radix = radix})
                  .ok());
        CHECK(verify(reversed<trivance>{.ranks = p, .block = 4, .element = 2, .of = {.group = group, .radix = radix}})
                  .ok());
        CHECK(verify(allreduce::by_reversal<trivance>{
                         .ranks = p, .bytes = 50, .element = 2, .of = {.group = group, .radix = radix}})
                  .ok());
    });
    CHECK(grids > 40);
}

TEST_CASE("allgather::over_dimensions: the sum of the rounds on each line, p-1 blocks sent and received") {
    const metrics_report m = metrics(trivance{.ranks = 9 * 10 * 4, .block = 1, .group = 9, .radix = 10});
    CHECK(m.rounds == ceil_log(3, 9) + ceil_log(3, 10) + ceil_log(3, 4));
    for_each_grid(support::most(60), [](rank_t p, rank_t group, std::int64_t radix) {
        const metrics_report counts = metrics(trivance{.ranks = p, .block = 3, .group = group, .radix = radix});
        for (rank_t r = 0; r < p; ++r) {
            CHECK(counts.bytes_sent[r] == 3 * (p - 1));
            CHECK(counts.bytes_received[r] == 3 * (p - 1));
        }
    });
}

TEST_CASE("allgather::over_dimensions: messages stay on a line of the grid") {
    for (const edge& e : edges(trivance{.ranks = 5 * 7, .block = 1, .group = 5})) {
        if (e.is_local()) continue;
        if (e.step < ceil_log(3, 5)) CHECK(e.src / 5 == e.dst / 5);
        else CHECK(e.src % 5 == e.dst % 5);
    }
}

TEST_CASE("allgather::over_dimensions: irregular blocks, and blocks of no bytes") {
    CHECK(verify(trivance{.ranks = 12, .block = block_layout::partition(17, 12, 1), .group = 4}).ok());
    CHECK(verify(trivance{.ranks = 12, .block = block_layout::partition(5, 12, 1), .group = 3}).ok());
    CHECK(verify(trivance{.ranks = 12, .block = 0, .group = 4}).ok());
}

TEST_CASE("allgather::over_dimensions: sizes that do not divide p are reported") {
    CHECK(check(trivance{.ranks = 10, .block = 1, .group = 4}).argument == std::string("ranks"));
    CHECK(check(trivance{.ranks = 10, .block = 1, .group = 0}).argument == std::string("group"));
    CHECK(check(trivance{.ranks = 10, .block = 1, .group = 5, .radix = 1}).argument == std::string("radix"));
}
