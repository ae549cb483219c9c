#include "examples/programs/collsched/measured/measured_case.hpp"

#include <doctest/doctest.h>

using namespace collsched;
using namespace collsched::measured;

TEST_CASE("measured_case: cases are equal if all conditions are") {
    const measured_case one{.collective = collective::gather, .ranks = 8, .ranks_per_node = 2, .bytes = 64};
    CHECK(one == measured_case{collective::gather, 8, 2, 64, ""});
    measured_case other = one;
    other.setting = "yes";
    CHECK_FALSE(one == other);
    other = one;
    other.ranks_per_node = 4;
    CHECK_FALSE(one == other);
}

TEST_CASE("measurement: the default is no time of a barrier of one rank") {
    const measurement none;
    CHECK(none.where == measured_case{});
    CHECK(none.algorithm.empty());
    CHECK_FALSE(none.us > 0);
}

TEST_CASE("measured_case: the default is a barrier of one rank") {
    const measured_case none;
    CHECK(none.collective == collective::barrier);
    CHECK((none.ranks == 1 && none.ranks_per_node == 1 && none.bytes == 0 && none.setting.empty()));
    CHECK(measurement().us == doctest::Approx(0));
}
