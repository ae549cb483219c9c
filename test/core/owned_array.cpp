#include "collsched/core/owned_array.hpp"

#include <doctest/doctest.h>

#include <utility>
#include <vector>

using namespace collsched;

static_assert([] {
    owned_array<int> a(3);
    a[1] = 5;
    owned_array<int> b = a;
    b[1] = 6;
    owned_array<int> c = std::move(b);
    return a[0] == 0 && a[1] == 5 && c[1] == 6 && b.empty() && !(a == c);
}());

static_assert([] {
    const owned_array<int> none(0), one(1);
    return none.begin() == nullptr && none.end() == nullptr && one.size() == 1 && one[0] == 0 &&
           owned_array<int>().empty() && owned_array<int>().begin() == nullptr;
}());

TEST_CASE("owned_array: iterators of a constant array enclose all elements") {
    const std::vector<int> values{4, 5, 6};
    const owned_array<int> a{std::span<const int>(values)};
    CHECK(a.end() - a.begin() == 3);
    CHECK(std::vector<int>(a.begin(), a.end()) == values);
}

TEST_CASE("owned_array: arrays are equal if all elements are") {
    const auto of = [](std::vector<int> values) { return owned_array<int>{std::span<const int>(values)}; };
    for (const std::vector<int>& other : {std::vector<int>{0, 2, 3}, {1, 0, 3}, {1, 2, 0}, {1, 2}, {1, 2, 3, 0}, {}})
        CHECK_FALSE(of({1, 2, 3}) == of(other));
    CHECK(of({1, 2, 3}) == of({1, 2, 3}));
}

TEST_CASE("owned_array: copies are deep, and a moved-from array is empty") {
    const std::vector<int> values{1, 2, 3};
    owned_array<int> a{std::span<const int>(values)};
    owned_array<int> b = a;
    CHECK(a == b);
    b[0] = 9;
    CHECK(a[0] == 1);
    a = b;
    CHECK(a[0] == 9);
    a = std::move(b);
    CHECK(b.size() == 0);
    CHECK(a.end() - a.begin() == 3);
    CHECK(owned_array<int>(0) == owned_array<int>());
    CHECK(owned_array<int>(-1).empty());
    CHECK(!(owned_array<int>(1) == owned_array<int>(2)));
}
