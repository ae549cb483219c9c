#include "collsched/tree/planners/detail/offers.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/layouts.hpp"

using namespace collsched;
using planners::detail::nearest;
using planners::detail::priced_rank;

static_assert([] {
    nearest them;
    const auto first = [&](auto gone) {
        return them.first(gone, [&](auto f) {
            for (rank_t r = 0; r < 30; ++r)
                if (!gone(r)) f(priced_rank{r % 7, r});
        });
    };
    return first([](rank_t) { return false; }) == priced_rank{0, 0} &&
           first([](rank_t r) { return r % 7 < 3; }) == priced_rank{3, 3} &&
           first([](rank_t r) { return r % 7 < 3 || r < 20; }) == priced_rank{3, 24} &&
           first([](rank_t) { return true; }) == priced_rank{};
}());

TEST_CASE("nearest: no receivers") {
    CHECK(nearest().first([](rank_t) { return false; }, [](auto) {}) == priced_rank{});
}

TEST_CASE("nearest: the cheapest of the remaining ones, for any number removed at once") {
    support::random_source random(5);
    for (const std::int64_t kinds : {std::int64_t{1}, std::int64_t{3}, std::int64_t{1000000}})
        for (const std::int64_t at_once : {1, 2, 10, 200})
            for (rank_t n = 1; n <= 500; n += 83) {
                std::vector<priced_rank> ranks;
                for (rank_t r = 0; r < n; ++r) ranks.push_back({random.below(kinds), r});
                const std::vector<priced_rank> known = ranks;
                nearest them;
                std::sort(ranks.begin(), ranks.end());
                std::vector<bool> gone(static_cast<std::size_t>(n));
                const auto has_gone = [&](rank_t r) { return gone[static_cast<std::size_t>(r)]; };
                const auto each = [&](auto f) {
                    for (const priced_rank& r : known)
                        if (!has_gone(r.rank)) f(r);
                };
                for (bool left = true; left;) {
                    const auto first = std::find_if(ranks.begin(), ranks.end(),
                                                    [&](const priced_rank& r) { return !has_gone(r.rank); });
                    left = first != ranks.end();
                    REQUIRE(them.first(has_gone, each) == (left ? *first : priced_rank{}));
                    if (left && random.below(2) > 0) gone[static_cast<std::size_t>(first->rank)] = true;
                    for (std::int64_t i = 0; i < at_once; ++i) gone[static_cast<std::size_t>(random.below(n))] = true;
                }
            }
}

TEST_CASE("nearest: removing the cheapest each time takes about log n reads each") {
    constexpr rank_t n = 100'000;
    nearest them;
    rank_t gone = 0;
    std::int64_t asked = 0;
    const auto each = [&](auto f) {
        for (rank_t r = n; r-- > gone; ++asked) f(priced_rank{r, r});
    };
    for (; gone < n; ++gone) REQUIRE(them.first([&](rank_t r) { return r < gone; }, each) == priced_rank{gone, gone});
    CHECK(them.first([](rank_t) { return true; }, each) == priced_rank{});
    CHECK(asked < 40 * n);
}
