#include "collsched/execute/shared_memory/detail/places.hpp"

#include <doctest/doctest.h>

using collsched::detail::places;

TEST_CASE("places: the lowest that is free is taken, until there is none") {
    for (const int count : {1, 32, 64, 200, 256}) {
        places all(count);
        CHECK((all.count() == count && all.taken() == 0));
        for (int i = 0; i < count; ++i) {
            REQUIRE(all.take() == i);
            CHECK(all.taken() == i + 1);
        }
        CHECK(all.take() == -1);
        for (const int place : {count - 1, count / 2, 0}) {
            all.free(place);
            CHECK(all.taken() == count - 1);
            CHECK(all.take() == place);
            CHECK(all.take() == -1);
        }
        for (int i = count; i-- > 0;)
            if (i % 3 != 0) all.free(i);
        for (int i = 0; i < count; ++i)
            if (i % 3 != 0) CHECK(all.take() == i);
        CHECK((all.take() == -1 && all.taken() == count));
    }
}
