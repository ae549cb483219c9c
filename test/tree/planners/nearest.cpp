#include "collsched/tree/planners/nearest.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "support/layouts.hpp"

using namespace collsched;
using planners::nearest;
using planners::priced_rank;

static_assert([] {
    owned_array<priced_rank> ranks(30);
    for (rank_t r = 0; r < 30; ++r) ranks[r] = {r % 7, r};
    nearest them(ranks);
    rank_t gone = 0;
    return them.first([](rank_t) { return false; }) == priced_rank{0, 0} &&
           them.first([&](rank_t r) { return r % 7 < 3; }) == priced_rank{3, 3} &&
           them.first([&](rank_t r) { return r % 7 < 3 || r < 20; }) == priced_rank{3, 24} &&
           them.first([&](rank_t) { return gone == 0; }) == priced_rank{};
}());

TEST_CASE("nobody") {
    CHECK(nearest().first([](rank_t) { return false; }) == priced_rank{});
}

TEST_CASE("the cheapest of those that are left, however many go at once") {
    support::random_source random(5);
    for (const std::int64_t kinds : {std::int64_t{1}, std::int64_t{3}, std::int64_t{1000000}})
        for (const std::int64_t at_once : {1, 2, 10, 200})
            for (rank_t n = 1; n <= 500; n += 83) {
                std::vector<priced_rank> ranks;
                for (rank_t r = 0; r < n; ++r) ranks.push_back({random.below(kinds), r});
                nearest them{owned_array<priced_rank>(ranks)};
                std::sort(ranks.begin(), ranks.end());
                std::vector<bool> gone(static_cast<std::size_t>(n));
                const auto has_gone = [&](rank_t r) { return gone[static_cast<std::size_t>(r)]; };
                for (bool left = true; left;) {
                    const auto first = std::find_if(ranks.begin(), ranks.end(),
                                                    [&](const priced_rank& r) { return !has_gone(r.rank); });
                    left = first != ranks.end();
                    REQUIRE(them.first(has_gone) == (left ? *first : priced_rank{}));
                    if (left && random.below(2) > 0) gone[static_cast<std::size_t>(first->rank)] = true;
                    for (std::int64_t i = 0; i < at_once; ++i) gone[static_cast<std::size_t>(random.below(n))] = true;
                }
            }
}
