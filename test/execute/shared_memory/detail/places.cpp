#include "collsched/execute/shared_memory/detail/places.hpp"

#include <doctest/doctest.h>

#include <vector>

using collsched::detail::places;

TEST_CASE("places: the lowest that is free is found, and each that is taken is visited once") {
    for (const int count : {1, 32, 64, 200, 256}) {
        places all(count);
        CHECK(all.count() == count);
        for (int i = 0; i < count; ++i) {
            REQUIRE((all.lowest_free() == i && !all.is_full() && !all.is_taken(i)));
            all.take(i);
            CHECK(all.is_taken(i));
        }
        CHECK((all.is_full() && all.lowest_free() >= count));
        for (const int place : {count - 1, count / 2, 0}) {
            all.free(place);
            CHECK((all.lowest_free() == place && !all.is_taken(place) && !all.is_full()));
            all.take(place);
        }
        std::vector<int> seen;
        all.for_each([&](int place) {
            CHECK(place == static_cast<int>(seen.size()));
            seen.push_back(place);
            if (place % 3 != 0) all.free(place);
        });
        CHECK(static_cast<int>(seen.size()) == count);
        CHECK((all.lowest_free() == 1 && all.is_taken(0)));
        all.free_all();
        CHECK(all.lowest_free() == 0);
        all.for_each([](int) { FAIL("none is left"); });
    }
}
