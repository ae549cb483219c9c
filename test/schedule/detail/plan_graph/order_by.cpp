#include "collsched/schedule/detail/plan_graph.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <compare>
#include <cstdint>
#include <vector>

#include "support/layouts.hpp"

namespace {

struct numbered {
    std::int64_t key, place;
    auto operator<=>(const numbered&) const = default;
};

}  // namespace

// An access beyond the elements is no constant expression. Clang accepts no vector of a given size of this C++ library in one.
#ifndef __clang__
static_assert([] {
    std::vector<numbered> all{{2, 0}, {0, 1}, {2, 2}, {1, 3}, {0, 4}};
    collsched::detail::order_by(all, &numbered::key, 3);
    std::vector<numbered> none;
    collsched::detail::order_by(none, &numbered::key, 0);
    return all == std::vector<numbered>{{0, 1}, {0, 4}, {1, 3}, {2, 0}, {2, 2}} && none.empty();
}());
#endif

TEST_CASE("order_by: orders by key, equal keys by place, for any length and number of keys") {
    support::random_source random(5);
    for (std::int64_t n = 0; n < 60; ++n)
        for (const std::int64_t keys : {std::int64_t{1}, std::int64_t{3}, std::int64_t{100}}) {
            std::vector<numbered> ours;
            for (std::int64_t i = 0; i < n; ++i) ours.push_back({random.below(keys), i});
            std::vector<numbered> theirs = ours;
            std::ranges::sort(theirs);
            collsched::detail::order_by(ours, &numbered::key, static_cast<std::size_t>(keys));
            CHECK(ours == theirs);
        }
}
