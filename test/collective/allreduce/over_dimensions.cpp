#include "collsched/collective/allreduce/over_dimensions.hpp"

#include <doctest/doctest.h>

#include <string>

#include "collsched/collective/allreduce/trivance_latency.hpp"
#include "collsched/core/digits.hpp"
#include "collsched/schedule/edge_views.hpp"
#include "collsched/verify/combination_trees.hpp"
#include "support/allreduces.hpp"
#include "support/brief.hpp"
#include "support/verified.hpp"

using namespace collsched;

namespace {

using trivance = allreduce::over_dimensions<allreduce::trivance_latency>;

template <rank_t Group, std::int64_t Radix>
constexpr auto on_grid = [](rank_t p, bytes_t bytes, bytes_t element) {
    return trivance{.ranks = p, .bytes = bytes, .element = element, .group = Group, .radix = Radix};
};

}  // namespace

static_assert(support::allreduce_proved_for<on_grid<3, 2>, 1, 3, 6>);
static_assert(trivance::info.commutative);

TEST_CASE("allreduce::over_dimensions: correct on all grids, with the same bits on all ranks") {
    CHECK(support::check_allreduce(on_grid<3, 2>, false, 40) == 9);
    CHECK(support::check_allreduce(on_grid<4, 4>, false, 40) == 11);
    CHECK(support::check_allreduce(on_grid<1, 8>, false, 20) == 16);
}

TEST_CASE("allreduce::over_dimensions: the sum of the rounds on each line, and its bytes") {
    support::check_traffic(trivance{.ranks = 9 * 27 * 3, .bytes = 8, .element = 8, .group = 9, .radix = 27}, 6, 96, 96);
    const metrics_report m =
        support::measured(trivance{.ranks = 5 * 4 * 2, .bytes = 8, .element = 8, .group = 5, .radix = 4});
    CHECK(m.rounds == ceil_log(3, 5) + ceil_log(3, 4) + ceil_log(3, 2));
    CHECK(m.scratch[0] == 16);
}

TEST_CASE("allreduce::over_dimensions: messages stay on a line of the grid, at ring distance n/3, n/9, ...") {
    for (const edge& e : edges(trivance{.ranks = 9 * 9, .bytes = 8, .element = 8, .group = 9, .radix = 9})) {
        if (e.is_local()) continue;
        const bool in_row = e.step < 6;
        if (in_row) CHECK(e.src / 9 == e.dst / 9);
        else CHECK(e.src % 9 == e.dst % 9);
        const rank_t apart = in_row ? e.dst - e.src : (e.dst - e.src) / 9;
        const rank_t distance = e.step % 6 < 3 ? 3 : 1;
        CHECK((wrap(apart, 9) == distance || wrap(-apart, 9) == distance));
    }
}

TEST_CASE("allreduce::over_dimensions: all bytes of all ranks have one tree") {
    for (rank_t p = 1; p <= support::most(60); ++p)
        for (const rank_t group : {2, 3, 4}) {
            const trivance x{.ranks = p, .bytes = 4, .element = 2, .group = group, .radix = 3};
            if (!check(x)) CHECK(association(x).has(association_class::position));
        }
}

TEST_CASE("allreduce::over_dimensions: wrong parameters are reported") {
    CHECK(check(trivance{.ranks = 10, .group = 4}).argument == std::string("ranks"));
    CHECK(check(trivance{.ranks = 10, .group = 0}).argument == std::string("group"));
    CHECK(check(trivance{.ranks = 10, .bytes = INT64_MAX, .group = 5}).argument == std::string("bytes"));
}
