#include "collsched/schedule/edge_views.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <ranges>
#include <vector>

#include "collsched/collective/allgather/bruck.hpp"
#include "collsched/collective/allgather/ring.hpp"
#include "collsched/schedule/stored_schedule.hpp"
#include "support/archetypes.hpp"
#include "support/bounded.hpp"
#include "support/samples.hpp"
#include "support/small_schedules.hpp"

using namespace collsched;

namespace {

std::vector<edge> list(auto view) {
    std::vector<edge> all;
    for (const edge& e : view) all.push_back(e);
    return all;
}

std::vector<edge> canonical(std::vector<edge> all) {
    std::sort(all.begin(), all.end(), precedes);
    return all;
}

}  // namespace

TEST_CASE("edge_views: all views of a schedule show the same edges") {
    for (rank_t p = 1; p <= 9; ++p)
        for (const auto& [name, s] : support::samples(p)) {
            CAPTURE(name);
            const stored_schedule stored = materialize(s);
            const std::vector<edge> expected(stored.edges().begin(), stored.edges().end());
            CHECK(std::is_sorted(expected.begin(), expected.end(), precedes));
            CHECK(canonical(list(edges(s))) == expected);
            CHECK(canonical(list(edges(stored))) == expected);
            std::vector<edge> by_step;
            for (step_t k = 0; k < s.steps(); ++k)
                for (const edge& e : list(edges_at(s, k))) by_step.push_back(e);
            CHECK(by_step == expected);
            for (rank_t r = 0; r < p; ++r) {
                std::vector<edge> own;
                for (const edge& e : expected)
                    if (e.src == r || e.dst == r) own.push_back(e);
                CHECK(list(program(s, r)) == own);
                CHECK(list(program(stored, r)) == own);
            }
        }
}

TEST_CASE("edge_views: the views are C++20 views, single pass, and restart at each begin()") {
    auto view = edges(allgather::ring{.ranks = 4, .block = 1});
    static_assert(std::ranges::view<decltype(view)>);
    static_assert(std::ranges::input_range<decltype(view)> && !std::ranges::forward_range<decltype(view)>);
    static_assert(std::copyable<decltype(view)> && std::default_initializable<decltype(view)>);
    CHECK(std::ranges::distance(view) == 16);
    CHECK(std::ranges::distance(view) == 16);
    bytes_t moved = 0;
    for (const bytes_t size : edges(allgather::ring{.ranks = 4, .block = 3}) | std::views::filter([](const edge& e) {
                                  return !e.is_local();
                              }) | std::views::transform(&edge::size))
        moved += size;
    CHECK(moved == 36);
    const allgather::ring kept{.ranks = 1000000, .block = 8};
    int taken = 0;
    for (const edge& e : program(kept, 7) | std::views::take(1000)) taken += e.src == 7 || e.dst == 7 ? 1 : 0;
    CHECK(taken == 1000);
}

TEST_CASE("edge_views: usable during constant evaluation") {
    static_assert([] {
        bytes_t total = 0;
        for (const edge& e : program(allgather::bruck{.ranks = 6, .block = 2}, 4)) total += e.size;
        return total;
    }() == 2 * (5 + 5 + 1 + 6));
}

TEST_CASE("edge_views: a wrong rank, step or schedule is rejected") {
    const allgather::ring good{.ranks = 4, .block = 1};
    CHECK_THROWS_WITH(list(program(good, 4)), "rank: got 4, expected 0 to ranks-1");
    CHECK_THROWS_WITH(list(program(good, -1)), "rank: got -1, expected 0 to ranks-1");
    CHECK_THROWS_WITH(list(edges_at(good, 3)), "step: got 3, expected 0 to steps-1");
    CHECK_THROWS_WITH(list(edges(allgather::ring{.ranks = 0})), "ranks: got 0, expected 1 or more");
    CHECK_THROWS_WITH(materialize(allgather::ring{.ranks = 2, .block = -5}), "block: got -5, expected 0 bytes or more");
}

TEST_CASE("edge_views: calls of the schedule are within its ranks and steps, also where ranks have no edges") {
    const edge a{.step = 1, .src = 0, .dst = 1, .size = 2}, b{.step = 2, .src = 2, .dst = 1, .size = 2};
    for (const std::vector<edge>& listed : {std::vector<edge>{}, {a}, {b}, {a, b}}) {
        const support::bounded s(support::by_hand({.ranks = 4}, 4, listed));
        CHECK(list(edges(s)) == listed);
        std::vector<edge> by_step;
        for (step_t k = 0; k < 4; ++k)
            for (const edge& e : list(edges_at(s, k))) by_step.push_back(e);
        CHECK(by_step == listed);
        CHECK(list(program(s, 1)) == listed);
        CHECK(list(program(s, 3)).empty());
    }
    CHECK(list(edges(support::bounded(support::by_hand({.ranks = 2}, 0, {})))).empty());
}

TEST_CASE("edge_views: a rank or step is refused at both ends of its range, and the ends are not") {
    const allgather::ring good{.ranks = 4, .block = 1};
    const auto step_error = [&](step_t k) { return edges_at(good, k).check_walk(); };
    const auto rank_error = [&](rank_t r) { return program(good, r).check_walk(); };
    CHECK(!step_error(0));
    CHECK(!step_error(2));
    CHECK(step_error(-1) == argument_error{"step", -1, "0 to steps-1"});
    CHECK(step_error(3) == argument_error{"step", 3, "0 to steps-1"});
    CHECK(!rank_error(0));
    CHECK(!rank_error(3));
    CHECK(rank_error(-1) == argument_error{"rank", -1, "0 to ranks-1"});
    CHECK(rank_error(4) == argument_error{"rank", 4, "0 to ranks-1"});
    CHECK(!edges(good).check_walk());
}

TEST_CASE("edge_views: views of temporary schedules are assigned and moved with their schedule") {
    auto view = edges(support::flat_broadcast{.ranks = 2, .bytes = 1});
    const auto other = edges(support::flat_broadcast{.ranks = 3, .bytes = 2});
    view = other;
    CHECK(list(view).size() == 3);
    view = edges(support::flat_broadcast{.ranks = 4, .bytes = 2});
    CHECK(list(view).size() == 4);
    auto& itself = view;
    view = itself;
    CHECK(list(view).size() == 4);
}

// An access beyond the edges of a step is no constant expression.
static_assert([] {
    int all = 0, last = 0;
    for (const edge& e : edges(support::flat_broadcast{.ranks = 3, .bytes = 2})) all += e.size > 0 ? 1 : 100;
    for (const edge& e : program(support::flat_broadcast{.ranks = 3, .bytes = 2}, 2)) last += e.size > 0 ? 1 : 100;
    return all == 3 && last == 1;
}());

TEST_CASE("edge_views: a cell without edges is passed over") {
    CHECK(list(edges(support::direct_exchange{.ranks = 3, .block = 0})).empty());
    CHECK(list(edges(allgather::bruck{.ranks = 7, .block = 0})).empty());
    CHECK(list(program(support::flat_broadcast{.ranks = 3, .bytes = 2}, 2)).size() == 1);
}
