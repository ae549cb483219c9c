#include "collsched/schedule/detail/memory_area.hpp"

#include <doctest/doctest.h>

using collsched::detail::staging_places;

static_assert(collsched::detail::default_staging == 524288);

TEST_CASE("staging places: a step without operands takes no place and moves none") {
    staging_places places(10);
    CHECK(places.place(10) == 0);
    CHECK(places.place(0) == 10);
    CHECK(places.place(1) == 0);
    CHECK(places.place(0) == 1);
    CHECK(places.place(9) == 1);
    CHECK(places.bytes() == 10);
}

TEST_CASE("staging places: steps are placed one behind the other up to the limit, then from the beginning") {
    staging_places places(10);
    CHECK(places.bytes() == 0);
    CHECK(places.place(4) == 0);
    CHECK(places.place(6) == 4);
    CHECK(places.bytes() == 10);
    CHECK(places.place(1) == 0);
    CHECK(places.place(5) == 1);
    CHECK(places.place(5) == 0);
    CHECK(places.bytes() == 10);
}

TEST_CASE("staging places: a step above the limit is at the beginning, and so is the next one") {
    staging_places places(3);
    CHECK(places.place(2) == 0);
    CHECK(places.place(7) == 0);
    CHECK(places.bytes() == 7);
    CHECK(places.place(1) == 0);
    CHECK(places.place(2) == 1);
    staging_places none(0);
    CHECK(none.place(5) == 0);
    CHECK(none.place(5) == 0);
    CHECK(none.bytes() == 5);
    staging_places unlimited(INT64_MAX);
    CHECK(unlimited.place(INT64_MAX) == 0);
    CHECK(unlimited.place(1) == 0);
}
