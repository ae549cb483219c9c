#include "collsched/core/detail/gap_array.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "support/layouts.hpp"

using collsched::detail::gap_array;

static_assert([] {
    gap_array<int> a;
    for (int i = 0; i < 20; ++i) a.insert(a.size() / 2, i);
    a.erase(3, 5);
    return a.size() == 18 && a[0] == 1 && a[17] == 0 && a.joined().size() == 18;
}());

TEST_CASE("gap_array: without elements, at first and after clear()") {
    gap_array<int> a;
    for (int round = 0; round < 2; ++round) {
        CHECK(a.size() == 0);
        CHECK(a.empty());
        CHECK(a.joined().empty());
        a.push_back(7);
        a.insert(0, 6);
        CHECK(a.size() == 2);
        CHECK(a[0] == 6);
        CHECK(a[1] == 7);
        a.clear();
    }
}

TEST_CASE("gap_array: elements inserted and erased anywhere are where a vector has them") {
    support::random_source random(11);
    gap_array<std::int64_t> a;
    std::vector<std::int64_t> kept;
    for (int round = 0; round < 5000; ++round) {
        const std::int64_t size = static_cast<std::int64_t>(kept.size()), at = random.below(size + 1);
        switch (random.below(8)) {
            case 0: {
                const std::int64_t last = at + random.below(size - at + 1);
                a.erase(at, last);
                kept.erase(kept.begin() + at, kept.begin() + last);
                break;
            }
            case 1:
                if (size > 0) a[at % size] = kept[static_cast<std::size_t>(at % size)] = round;
                break;
            case 2:
                if (size > 0) a.push_back(a[0]), kept.push_back(std::int64_t{kept[0]});
                break;
            case 3:
                if (random.below(100) == 0) a.clear(), kept.clear();
                break;
            default: a.insert(at, round); kept.insert(kept.begin() + at, round);
        }
        REQUIRE(a.size() == static_cast<std::int64_t>(kept.size()));
        REQUIRE(a.empty() == kept.empty());
        for (std::size_t i = 0; i < kept.size(); ++i) {
            REQUIRE(a[static_cast<std::int64_t>(i)] == kept[i]);
            REQUIRE(std::as_const(a)[static_cast<std::int64_t>(i)] == kept[i]);
        }
    }
    CHECK(std::ranges::equal(a.joined(), kept));
}
