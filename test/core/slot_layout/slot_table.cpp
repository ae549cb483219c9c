#include "collsched/core/slot_layout.hpp"

#include <doctest/doctest.h>

#include <span>
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

// 0 -> 1, none, 1;  1 -> 0.  0 receives from none, 1;  1 from 0, 0, none.
static_assert([] {
    const std::int64_t out[]{3, 1}, targets[]{1, -1, 1, 0}, in[]{2, 3}, sources[]{-1, 1, 0, 0, -1};
    const bytes_t counts[]{1, 2, 4, 8}, sent[]{6, 4, 0, 3}, received[]{9, 0, 4, 0, 7}, of_ranks[]{3, 5};
    const neighborhood n{numbers(out, out + 2), numbers(targets, targets + 4), numbers(in, in + 2),
                         numbers(sources, sources + 5)};
    const auto same = [](const owned_array<bytes_t>& found, const auto& expected) {
        return found == owned_array<bytes_t>(std::span<const bytes_t>(expected));
    };
    const bytes_t packed_out[]{0, 1, 3, 0}, packed_in[]{0, 1, 0, 1, 5}, input[]{7, 8}, output[]{9, 5};
    const slot_table packed = slot_table::exchanged(n, counts, {}, {}, true);
    bool right = !packed.error && same(packed.counts, counts) && same(packed.send_displs, packed_out) &&
                 same(packed.recv_displs, packed_in) && same(packed.input, input) && same(packed.output, output);
    const bytes_t placed_input[]{7, 11}, placed_output[]{9, 7};
    const slot_table placed = slot_table::exchanged(n, counts, sent, received, false);
    right = right && !placed.error && same(placed.send_displs, sent) && same(placed.recv_displs, received) &&
            same(placed.input, placed_input) && same(placed.output, placed_output);
    const bytes_t gathered_counts[]{3, 3, 3, 5}, gathered_in[]{0, 3, 0, 3, 6}, gathered_output[]{8, 6};
    const slot_table gathered = slot_table::gathered(n, of_ranks, {}, true);
    return right && !gathered.error && same(gathered.counts, gathered_counts) && same(gathered.input, of_ranks) &&
           same(gathered.recv_displs, gathered_in) && same(gathered.output, gathered_output);
}());

TEST_CASE("slot_table: errors have argument, value, range and index") {
    const neighborhood one(numbers{1}, numbers{0}), wrong(numbers{1}, numbers{7});
    const auto gathered = [](const neighborhood& n, const numbers& counts) {
        return slot_table::gathered(n, counts, {}, true).error;
    };
    CHECK(gathered(one, {1, 2}) == argument_error{"counts", 2, "as many counts as ranks"});
    CHECK(gathered(two, {1}) == argument_error{"counts", 1, "as many counts as ranks"});
    CHECK(!gathered({}, {1, 2}));
    CHECK(gathered(two, {-1, -2}) == argument_error{"counts", -1, "0 bytes or more", 0});
    CHECK(gathered(wrong, {1}) == argument_error{"neighbors", 7, "0 to ranks-1, or -1 for none", 0});
    const bytes_t large = bytes_t{1} << 62, fits = INT64_MAX / 2;
    CHECK(gathered(two, {large, 0}) == argument_error{"counts", large, "count * degree below 2^63 bytes", 0});
    CHECK(gathered(two, {fits, 2}) == argument_error{"counts", 2, "counts that sum to less than 2^63 bytes"});
    CHECK(!gathered(two, {fits, 0}));
    const auto exchanged = [](const numbers& counts, const numbers& sent, const numbers& received, bool packed) {
        return slot_table::exchanged(two, counts, sent, received, packed).error;
    };
    const numbers counts{1, 2, 3, 4}, sent{2, 0, 4, 0}, received{0, 5, 3, 6};
    CHECK(!exchanged(counts, sent, received, false));
    CHECK(exchanged({1, 2, 3}, {}, {}, true) == argument_error{"counts", 3, "as many counts as out-slots"});
    CHECK(exchanged(counts, {0, 1}, received, false) ==
          argument_error{"send_displs", 2, "as many displacements as out-slots"});
    CHECK(exchanged(counts, sent, {0, 1, 2}, false) ==
          argument_error{"recv_displs", 3, "as many displacements as in-slots"});
    CHECK(exchanged({1, 2, 3, -4}, {}, {}, true) == argument_error{"counts", -4, "0 bytes or more", 3});
    CHECK(exchanged(counts, {2, 0, 4, 1}, received, false) ==
          argument_error{"send_displs", 4, "blocks that do not overlap", 2});
    CHECK(exchanged(counts, sent, {0, 5, -3, 6}, false) == argument_error{"recv_displs", -3, "0 bytes or more", 2});
}

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
    CHECK(!(slot_table(argument_error{"counts", 1, "others"}) == slot_table(argument_error{"counts", 2, "others"})));
    const numbers counts{1, 2, 3, 4}, sent{2, 0, 0, 3};
    const slot_table exchanged = slot_table::exchanged(two, counts, {}, {}, true);
    CHECK(exchanged == slot_table::exchanged(two, counts, numbers{0, 1, 0, 3}, numbers{0, 0, 1, 3}, false));
    CHECK(!(exchanged == slot_table::exchanged(two, counts, sent, numbers{0, 0, 1, 3}, false)));
    CHECK(!(exchanged == slot_table::exchanged(two, counts, numbers{0, 1, 0, 3}, numbers{0, 2, 0, 3}, false)));
    CHECK(!(slot_table::exchanged(two, numbers(4, 0), {}, {}, true) ==
            slot_table::exchanged(neighborhood(numbers{2, 2}, numbers{1, 1, 1, 0}), numbers(4, 0), {}, {}, true)));
    CHECK(!(slot_table::gathered(neighborhood(numbers{0, 1}, numbers{0}), numbers{3, 5}, {}, true) ==
            slot_table::gathered(neighborhood(numbers{0, 1}, numbers{0}), numbers{4, 5}, {}, true)));
}
