#include "collsched/core/detail/bit_rows.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <vector>

#include "collsched/core/detail/splitmix64.hpp"

using collsched::detail::bit_rows;

static_assert([] {
    bit_rows rows(2, 65);
    rows.add(1, 64);
    rows.add_row(0, rows, 1);
    return rows.has(0, 64) && !rows.has(0, 63) && rows.count_missing(1, bit_rows(1, 65), 0) == 1;
}());

TEST_CASE("bit_rows: rows hold the numbers of sets, for any operations") {
    collsched::detail::splitmix64 draw(3);
    for (const std::int64_t bits : {1, 63, 64, 65, 200}) {
        constexpr std::int64_t count = 3;
        bit_rows rows(count, bits);
        std::vector<std::set<std::int64_t>> sets(count);
        const auto set = [&](std::int64_t row) -> std::set<std::int64_t>& {
            return sets[static_cast<std::size_t>(row)];
        };
        for (int round = 0; round < 500; ++round) {
            const std::int64_t a = draw.between(0, count - 1), b = draw.between(0, count - 1);
            const std::int64_t number = draw.between(0, bits - 1), operation = draw.between(0, 9);
            std::set<std::int64_t> difference;
            std::set_difference(set(a).begin(), set(a).end(), set(b).begin(), set(b).end(),
                                std::inserter(difference, difference.end()));
            std::vector<std::int64_t> missing, all;
            rows.visit_missing(a, rows, b, [&](std::int64_t n) { missing.push_back(n); });
            REQUIRE(missing == std::vector<std::int64_t>(difference.begin(), difference.end()));
            REQUIRE(rows.count_missing(a, rows, b) == std::ssize(difference));
            if (operation == 0) {
                const std::set<std::int64_t> added = set(b);
                rows.add_row(a, rows, b), set(a).insert(added.begin(), added.end());
            } else if (operation == 1) {
                rows.remove_row(a, rows, b), set(a) = difference;
            } else {
                rows.add(a, number), set(a).insert(number);
            }
            rows.visit(a, [&](std::int64_t n) { all.push_back(n); });
            REQUIRE(all == std::vector<std::int64_t>(set(a).begin(), set(a).end()));
            REQUIRE(rows.has(a, number) == set(a).contains(number));
        }
    }
}
