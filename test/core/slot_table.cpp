#include "collsched/core/slot_table.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace collsched;

namespace {

using numbers = std::vector<std::int64_t>;

numbers list(const owned_array<bytes_t>& array) { return {array.begin(), array.end()}; }

/// 0 -> 1, 1;  1 -> 0, 1.
const neighborhood two(numbers{2, 2}, numbers{1, 1, 0, 1});

}  // namespace

TEST_CASE("both sides, slot by slot") {
    const slot_table gathered = slot_table::gathered(two, numbers{3, 5}, {}, true);
    CHECK(list(gathered.counts) == numbers{3, 3, 5, 5});
    CHECK(list(gathered.send_displs) == numbers{0, 0, 0, 0});
    CHECK(list(gathered.recv_displs) == numbers{0, 0, 3, 6});
    CHECK(list(gathered.input) == numbers{3, 5});
    CHECK(list(gathered.output) == numbers{5, 11});

    const slot_table exchanged = slot_table::exchanged(two, numbers{1, 2, 3, 4}, {}, {}, true);
    CHECK(list(exchanged.send_displs) == numbers{0, 1, 0, 3});
    CHECK(list(exchanged.recv_displs) == numbers{0, 0, 1, 3});
    CHECK(list(exchanged.input) == numbers{3, 7});
    CHECK(list(exchanged.output) == numbers{3, 7});
}

TEST_CASE("equal by what they say") {
    const slot_table packed = slot_table::gathered(two, numbers{3, 5}, {}, true);
    CHECK(packed == slot_table::gathered(two, numbers{3, 5}, numbers{0, 0, 3, 6}, false));
    CHECK(!(packed == slot_table::gathered(two, numbers{3, 5}, numbers{0, 0, 3, 7}, false)));
    CHECK(!(packed == slot_table::gathered(two, numbers{3, 4}, {}, true)));
    CHECK(!(packed == slot_table(error{"counts", 1, "others"})));
}
