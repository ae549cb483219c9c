#include "collsched/core/detail/sort.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "support/layouts.hpp"

static_assert([] {
    int values[40] = {};
    for (int i = 0; i < 40; ++i) values[i] = (i * 17) % 40;
    collsched::detail::sort(values, 40, [](int a, int b) { return a < b; });
    for (int i = 0; i < 40; ++i)
        if (values[i] != i) return false;
    return true;
}());

// An access beyond the array is no constant expression.
static_assert([] {
    for (int n = 1; n <= 20; ++n) {
        int* const values = new int[static_cast<std::size_t>(n)];
        for (int i = 0; i < n; ++i) values[i] = (i * 7) % n;
        collsched::detail::heap_sort(values, n, [](int a, int b) { return a < b; });
        const bool sorted = std::is_sorted(values, values + n);
        delete[] values;
        if (!sorted) return false;
    }
    return true;
}());

static_assert([] {
    for (int n = 0; n <= 60; n += n < 20 ? 1 : 20)
        for (const int kinds : {1, 2, 7, 61}) {
            int* const values = new int[static_cast<std::size_t>(n)];
            for (int i = 0; i < n; ++i) values[i] = i * 7 % kinds;
            const bool sorted = [&] {
                for (int round = 0; round < 2; ++round) {  // the second time it is sorted already
                    collsched::detail::sort(values, n, [](int a, int b) { return a < b; });
                    if (!std::is_sorted(values, values + n)) return false;
                }
                return true;
            }();
            delete[] values;
            if (!sorted) return false;
        }
    return true;
}());

TEST_CASE("sort: heap_sort, which bad pivots lead to, sorts as std::sort") {
    support::random_source random(11);
    for (std::int64_t n = 0; n < 100; ++n) {
        std::vector<std::int64_t> ours;
        for (std::int64_t i = 0; i < n; ++i) ours.push_back(random.below(50));
        std::vector<std::int64_t> theirs = ours;
        std::sort(theirs.begin(), theirs.end());
        collsched::detail::heap_sort(ours.data(), n, [](std::int64_t a, std::int64_t b) { return a < b; });
        CHECK(ours == theirs);
    }
}

TEST_CASE("sort: any length is sorted as by std::sort") {
    support::random_source random(7);
    for (std::int64_t n = 0; n < 200; ++n)
        for (const std::int64_t kinds : {std::int64_t{3}, std::int64_t{1000000}}) {
            std::vector<std::int64_t> ours;
            for (std::int64_t i = 0; i < n; ++i) ours.push_back(random.below(kinds));
            std::vector<std::int64_t> theirs = ours;
            std::sort(theirs.begin(), theirs.end());
            collsched::detail::sort(ours.data(), n, [](std::int64_t a, std::int64_t b) { return a < b; });
            CHECK(ours == theirs);
        }
}
