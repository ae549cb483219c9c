#include "collsched/range_v3.hpp"

#include <doctest/doctest.h>

#include <range/v3/algorithm/all_of.hpp>
#include <range/v3/algorithm/count_if.hpp>
#include <range/v3/numeric/accumulate.hpp>
#include <range/v3/range/conversion.hpp>
#include <range/v3/view/filter.hpp>
#include <range/v3/view/take.hpp>
#include <range/v3/view/transform.hpp>

#include <vector>

#include "collsched/collective/allgather/bruck.hpp"
#include "collsched/collective/allgather/ring.hpp"

using namespace collsched;

TEST_CASE("range-v3: Range-v3's views and algorithms take the schedule views") {
    auto view = edges(allgather::ring{.ranks = 4, .block = 3});
    static_assert(ranges::view_<decltype(view)> && ranges::input_range<decltype(view)>);
    CHECK(ranges::count_if(view, &edge::is_local) == 4);
    const auto sizes = edges(allgather::ring{.ranks = 4, .block = 3}) |
                       ranges::views::filter([](const edge& e) { return !e.is_local(); }) |
                       ranges::views::transform(&edge::size) | ranges::to<std::vector<bytes_t>>();
    CHECK(sizes == std::vector<bytes_t>(12, 3));
    const allgather::bruck kept{.ranks = 100, .block = 1};
    CHECK(ranges::accumulate(program(kept, 5) | ranges::views::transform(&edge::size), bytes_t{0}) == 2 * 99 + 1 + 100);
    CHECK(ranges::all_of(edges_at(kept, 0) | ranges::views::take(9), [](const edge& e) { return e.step == 0; }));
}
