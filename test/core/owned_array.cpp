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
