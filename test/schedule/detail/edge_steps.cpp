#include "collsched/schedule/detail/edge_steps.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "collsched/collective/allgather/bruck.hpp"
#include "collsched/schedule/metrics.hpp"
#include "collsched/schedule/stored_schedule.hpp"

using namespace collsched;

namespace {

/// A copy before the first message, then a step with two messages, then, two steps later, one with a copy after its message.
constexpr std::array gaps = {edge{.step = 0, .src = 2, .dst = 2}, edge{.step = 1, .src = 0, .dst = 1},
                             edge{.step = 1, .src = 1, .dst = 2}, edge{.step = 3, .src = 0, .dst = 2},
                             edge{.step = 3, .src = 1, .dst = 1}};

static_assert(detail::rounds_of(gaps) == 2);
static_assert(detail::rounds_of({}) == 0);
static_assert(detail::rounds_of(std::array{edge{.dst = 1}, edge{.dst = 2}, edge{.step = 1, .dst = 1}}) == 2);
static_assert(detail::rounds_of(std::span(gaps).first(1)) == 0);
static_assert([] {
    step_t visited = 0;
    detail::for_each_step(
        gaps, [&](std::span<const edge> edges) { visited = 10 * visited + edges[0].step * 4 + std::ssize(edges); });
    return visited == 100 * (0 * 4 + 1) + 10 * (1 * 4 + 2) + (3 * 4 + 2);
}());

}  // namespace

TEST_CASE("edge_steps: every edge is in one step, and rounds are those of the metrics") {
    for (rank_t p = 1; p <= 17; ++p) {
        const stored_schedule s = materialize(allgather::bruck{.ranks = p, .block = 4});
        CAPTURE(p);
        CHECK(detail::rounds_of(s.edges()) == metrics(s).rounds);
        std::vector<edge> visited;
        step_t last = -1;
        detail::for_each_step(s.edges(), [&](std::span<const edge> edges) {
            CHECK(edges.front().step > last);
            last = edges.front().step;
            for (const edge& e : edges) {
                CHECK(e.step == last);
                visited.push_back(e);
            }
        });
        CHECK(std::ranges::equal(visited, s.edges()));
    }
}
