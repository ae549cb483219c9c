#include "collsched/combine/placed.hpp"

#include <doctest/doctest.h>

#include <ranges>

#include "collsched/verify/verify.hpp"
#include "support/composed.hpp"
#include "support/samples.hpp"

using namespace collsched;
using support::all_edges;
using support::moves;
using support::as_it_is;

namespace {

/// Every buffer in output, at offsets that depend on the rank.
struct shifted {
    bytes_t by;
    constexpr location operator()(rank_t r, buffer b) const { return {b, by * (r + 1) + static_cast<int>(b)}; }
};

}  // namespace

TEST_CASE("where nothing is renamed, nothing changes") {
    for (const rank_t p : {1, 2, 5, 8})
        for (const auto& [name, s] : support::samples(p)) {
            INFO(name);
            const auto same = place(s, as_it_is, s.contract());
            CHECK(all_edges(same) == all_edges(s));
            for (rank_t r = 0; r < p; ++r) {
                CHECK(same.scratch(r) == s.scratch(r));
                CHECK(same.staging(r) == s.staging(r));
            }
        }
}

TEST_CASE("twice is once, by the one place after the other") {
    for (const auto& [name, s] : support::samples(5)) {
        INFO(name);
        const auto both = [](rank_t r, buffer b) {
            const location inner = shifted{3}(r, b), outer = shifted{100}(r, inner.where);
            return location{outer.where, inner.offset + outer.offset};
        };
        const auto twice = place(place(s, shifted{3}, s.contract()), shifted{100}, s.contract());
        CHECK(all_edges(twice) == all_edges(place(s, both, s.contract())));
        CHECK(fingerprint(place(s, shifted{3}, s.contract())) != fingerprint(place(s, shifted{4}, s.contract())));
    }
}

TEST_CASE("a bigger schedule has room for the scratch of its part") {
    const allgather::bruck b{.ranks = 6, .block = 4};
    const contract whole = lower(b).contract();
    const auto behind = [](rank_t r, buffer at) { return location{at, at == buffer::scratch ? 10 * r : 0}; };
    const auto placed = place(b, behind, whole);
    for (rank_t r = 0; r < 6; ++r) CHECK(placed.scratch(r) == 10 * r + 24);
    CHECK(verify(placed).ok());
}

TEST_CASE("in place: right under that binding exactly when the schedule is, without a copy of bytes to themselves") {
    for (const rank_t p : {1, 2, 3, 6, 9})
        for (const auto& [name, s] : support::samples(p)) {
            INFO(name);
            const auto placed = placed_in_place(s);
            for (const binding how : support::bindings(s.contract()))
                if (how == binding::in_place) CHECK(verify(placed, how).ok() == verify(s, how).ok());
            CHECK(moves(placed).size() == moves(s).size());
            for (const edge& e : edges(placed)) CHECK(!vanishes(s.contract().alias(e.src, binding::in_place), e));
            CHECK(all_edges(placed_in_place(placed)) == all_edges(placed));
        }
}

TEST_CASE("views of a schedule with a capturing place are views, and far places saturate") {
    bytes_t far = INT64_MAX;
    far -= 3;
    const auto away = [far](rank_t, buffer b) { return location{b, b == buffer::scratch ? far : 0}; };
    const allgather::bruck bruck{.ranks = 4, .block = 4};
    const auto placed = place(bruck, away, lower(bruck).contract());
    static_assert(std::ranges::view<decltype(edges(place(bruck, away, lower(bruck).contract())))>);
    CHECK(placed.scratch(0) == INT64_MAX);
    auto view = edges(place(bruck, as_it_is, lower(bruck).contract()));
    const auto first = view;
    view = first;
    CHECK(std::ranges::distance(view) == static_cast<std::ptrdiff_t>(all_edges(bruck).size()));
}
