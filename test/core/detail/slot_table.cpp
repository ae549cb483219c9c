#include "collsched/core/detail/slot_table.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace collsched;
using namespace collsched::detail;

namespace {

using numbers = std::vector<std::int64_t>;

numbers list(const owned_array<bytes_t>& array) { return {array.begin(), array.end()}; }

/// 0 -> 1, 1;  1 -> 0, 1.
const neighborhood two(numbers{2, 2}, numbers{1, 1, 0, 1});

/// Ranks 0 .. 2 in a ring, with their counts of bytes. A read beyond them is no constant expression.
constexpr bool in_a_ring(std::int64_t first, std::int64_t second, std::int64_t last) {
    const std::int64_t degrees[]{1, 1, 1}, next[]{1, 2, 0}, counts[]{first, second, last};
    const neighborhood ring(numbers(degrees, degrees + 3), numbers(next, next + 3));
    const slot_table gathered = slot_table::gathered(ring, counts, {}, true);
    const slot_table exchanged = slot_table::exchanged(ring, counts, {}, {}, true);
    return !gathered.error && !exchanged.error && gathered.counts[2] == last && exchanged.input[2] == last &&
           exchanged.output[0] == last;
}

}  // namespace

static_assert(in_a_ring(1, 2, 3) && in_a_ring(0, 0, 3));

TEST_CASE("slot_table: both sides are compared slot by slot") {
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

TEST_CASE("slot_table: the first wrong count is reported with its rank") {
    for (std::int64_t r : {0, 1}) {
        numbers counts{3, 5};
        counts[static_cast<std::size_t>(r)] = -1;
        const argument_error error = slot_table::gathered(two, counts, {}, true).error;
        CHECK(error.value == -1);
        CHECK(error.index == r);
    }
    const bytes_t large = bytes_t{1} << 62;
    CHECK(slot_table::gathered(two, numbers{3, large}, {}, true).error.index == 1);
    CHECK(!slot_table::gathered(two, numbers{3, large / 4}, {}, true).error);
}

TEST_CASE("slot_table: equal if the numbers are equal") {
    const slot_table packed = slot_table::gathered(two, numbers{3, 5}, {}, true);
    CHECK(packed == slot_table::gathered(two, numbers{3, 5}, numbers{0, 0, 3, 6}, false));
    CHECK(!(packed == slot_table::gathered(two, numbers{3, 5}, numbers{0, 0, 3, 7}, false)));
    CHECK(!(packed == slot_table::gathered(two, numbers{3, 4}, {}, true)));
    CHECK(!(packed == slot_table(argument_error{"counts", 1, "others"})));
}
