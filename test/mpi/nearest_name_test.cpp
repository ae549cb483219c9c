#include "examples/mpi/nearest_name.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using collsched::preload::nearest_name;

TEST_CASE("edit_distance: insertions, removals and replacements, in any case of letters") {
    CHECK(edit_distance("", "abc") == 3);
    CHECK(edit_distance("kitten", "sitting") == 3);
    CHECK(edit_distance("RING", "ring") == 0);
    CHECK(edit_distance("Rng", "rinG") == 1);
    CHECK(edit_distance("a_b", "a-b") == 1);
}

TEST_CASE("nearest_name: the same letters in another case are the nearest") {
    const std::vector<std::string> names = {"COLLSCHED_VERBOSE", "COLLSCHED_BITS", "COLLSCHED_ALLREDUCE"};
    CHECK(nearest_name("COLLSCHED_allreduce", names) == "COLLSCHED_ALLREDUCE");
    CHECK(nearest_name("COLLSCHED_bit", names) == "COLLSCHED_BITS");
    CHECK(nearest_name("COLLSCHED_ALREDUCE", names) == "COLLSCHED_ALLREDUCE");
}
