#include "collsched/select/decision_table.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

using namespace collsched;
using namespace collsched::detail;

TEST_CASE("parameter values: values are in order, fit the shape, and are unique") {
    for (const rank_t p : {1, 2, 7, 12, 64})
        for (const bytes_t bytes : {bytes_t{0}, bytes_t{5000}, bytes_t{1} << 24})
            for (const decision::free_parameter& one : free_parameters) {
                std::vector<std::int64_t> values = values_of(one, {.ranks = p, .bytes = bytes, .element = 24});
                if (one.value == &shape::segment) {
                    REQUIRE(values.front() == 0);
                    std::reverse(values.begin() + 1, values.end());
                }
                CHECK(std::ranges::is_sorted(values));
                CHECK(std::ranges::adjacent_find(values) == values.end());
            }
}

TEST_CASE("parameter values: segments are whole elements, from half the message to 8 bytes, at most 4096 of them") {
    const decision::free_parameter segment = free_parameters[0];
    CHECK(values_of(segment, {.ranks = 4, .bytes = 5000, .element = 24}) ==
          std::vector<std::int64_t>{0, 4080, 2040, 1008, 504, 240, 120, 48, 24});
    CHECK(values_of(segment, {.ranks = 4, .bytes = 33}) == std::vector<std::int64_t>{0, 32, 16, 8});
    CHECK(values_of(segment, {.ranks = 4, .bytes = 8}) == std::vector<std::int64_t>{0});
    CHECK(values_of(segment, {.ranks = 4, .bytes = (bytes_t{1} << 62) + 1})[1] == bytes_t{1} << 62);
    CHECK(values_of(segment, {.ranks = 4, .bytes = bytes_t{1} << 30}).back() == bytes_t{1} << 18);
    CHECK(values_of(segment, {.ranks = 4, .block = 8}).size() == 3);  // blocks together: 16, 8
}

TEST_CASE("parameter values: rejected shapes have values too") {
    const decision::free_parameter segment = free_parameters[0];
    CHECK(values_of(segment, {.ranks = 8, .bytes = 33, .element = 0}) == std::vector<std::int64_t>{0, 32, 16, 8});
    CHECK(values_of(segment, {.ranks = 8, .block = block_layout(std::vector<int>{8, 8})}).size() == 1);
    CHECK(values_of(segment, {.ranks = 8, .block = bytes_t{1} << 62}).size() == 1);
}

TEST_CASE("parameter values: groups are divisors and powers of two, radices at most p") {
    CHECK(values_of(free_parameters[1], {.ranks = 12}) == std::vector<std::int64_t>{1, 2, 3, 4, 6, 8, 12});
    CHECK(values_of(free_parameters[2], {.ranks = 5}) == std::vector<std::int64_t>{2, 3, 4, 5});
    CHECK(values_of(free_parameters[3], {.ranks = 5}) == std::vector<std::int64_t>{1, 2, 4, 8});
    CHECK(values_of(free_parameters[4], {.ranks = 5}) == std::vector<std::int64_t>{0, 1, 2, 4});
    CHECK(values_of(free_parameters[4], {.ranks = 48}) == std::vector<std::int64_t>{0, 1, 2, 4, 8, 16, 32});
    const std::vector<std::int64_t> radices{2, 3, 4, 5, 6, 7, 8, 12, 16, 32, 64};
    for (rank_t p = 1; p <= 70; ++p) {
        std::vector<std::int64_t> expected(radices.begin(), std::ranges::upper_bound(radices, p));
        for (const std::int64_t power : {1, 2, 3}) {
            std::int64_t root = 1;
            while (power == 1 ? root < p : power == 2 ? root * root < p : root * root * root < p) ++root;
            if (root > 1) expected.push_back(root);
        }
        std::ranges::sort(expected);
        expected.erase(std::ranges::unique(expected).begin(), expected.end());
        CHECK(values_of(free_parameters[2], {.ranks = p}) == expected);
    }
}
