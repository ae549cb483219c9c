#include "collsched/core/slot_layout.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "support/layouts.hpp"
#include "support/neighborhoods.hpp"

using namespace collsched;
using namespace collsched::detail;

namespace {

using numbers = std::vector<bytes_t>;

static_assert(slot_layout::gathered(4).sent({}, 0, 3) == byte_range{0, 4});
static_assert(slot_layout::exchanged(4).sent({}, 0, 3) == byte_range{12, 4} &&
              slot_layout::exchanged(4).received({}, 0, 2) == byte_range{8, 4});

/// 0 -> 1, 2, 1;  1 -> 1, none;  2 -> none.  0 receives from none;  1 from 0, 1, 0;  2 from none, 0.
neighborhood some() { return {numbers{3, 2, 0}, numbers{1, 2, 1, 1, -1}, numbers{0, 3, 2}, numbers{0, 1, 0, -1, 0}}; }

std::string complaint(const slot_layout& slots, const neighborhood& n, rank_t p) {
    const argument_error error = slots.check(n, p);
    return error ? error.text().c_str() : "";
}

std::vector<std::int64_t> words(const slot_layout& slots) {
    std::vector<std::int64_t> all;
    slots.describe([&](std::int64_t word) { all.push_back(word); });
    return all;
}

numbers random_sizes(std::int64_t n, std::uint64_t seed) {
    support::random_source random(seed);
    numbers sizes;
    for (; n > 0; --n) sizes.push_back(random.below(3) == 0 ? 0 : random.below(9));
    return sizes;
}

}  // namespace

TEST_CASE("slot_layout: equal blocks are in slot order, and empty slots have their places") {
    const neighborhood n = some();
    const slot_layout::gathered gathered = 8;
    const slot_layout::exchanged exchanged = 8;
    for (const slot_layout& slots : {slot_layout(gathered), slot_layout(exchanged)}) {
        CHECK(complaint(slots, n, 3) == "");
        CHECK_FALSE(slots.irregular());
        CHECK(slots.packed());
        CHECK(slots.received(n, 1, 2) == byte_range{16, 8});
        CHECK(slots.recv_displ(n, 2, 1) == 8);
        CHECK(slots.output_bytes(n, 0) == 0);
        CHECK(slots.output_bytes(n, 2) == 16);
    }
    CHECK(slot_layout(slot_layout::gathered()) == slot_layout(slot_layout::gathered(0)));
    CHECK(slot_layout(slot_layout::exchanged()) == slot_layout(slot_layout::exchanged(0)));
    CHECK(gathered.input_bytes(n, 2) == 8);
    CHECK(exchanged.input_bytes(n, 2) == 0);
    CHECK(exchanged.input_bytes(n, 1) == 16);
    CHECK(gathered.sent(n, 0, 2) == byte_range{0, 8});
    CHECK(exchanged.sent(n, 0, 2) == byte_range{16, 8});
    CHECK(gathered.is_gathered());
    CHECK_FALSE(exchanged.is_gathered());
    CHECK_FALSE(slot_layout(gathered) == slot_layout(exchanged));
}

TEST_CASE("slot_layout: one block per rank, which all of its targets get") {
    const neighborhood n = some();
    const slot_layout::gathered slots(n, numbers{5, 2, 7});
    CHECK(complaint(slots, n, 3) == "");
    CHECK(slots.irregular());
    CHECK(slots.packed());
    CHECK(slots.input_bytes(n, 2) == 7);
    CHECK(slots.sent(n, 0, 1) == byte_range{0, 5});
    CHECK(slots.received(n, 1, 0) == byte_range{0, 5});
    CHECK(slots.received(n, 1, 1) == byte_range{5, 2});
    CHECK(slots.received(n, 1, 2) == byte_range{7, 5});
    CHECK(slots.received(n, 2, 1) == byte_range{0, 5});  // rank 2 has no out-slot 0 that could give the empty slot room
    CHECK(slots.output_bytes(n, 1) == 12);
    CHECK(slots.output_bytes(n, 2) == 5);

    const slot_layout::gathered placed(n, numbers{5, 2, 7}, numbers{20, 3, 10, 1, 0});
    CHECK(complaint(placed, n, 3) == "");
    CHECK_FALSE(placed.packed());
    CHECK(placed.received(n, 1, 0) == byte_range{20, 5});
    CHECK(placed.received(n, 2, 1) == byte_range{0, 5});
    CHECK(placed.recv_displ(n, 2, 0) == 1);
    CHECK(placed.output_bytes(n, 1) == 25);
    CHECK(placed.output_bytes(n, 2) == 5);
    CHECK(slot_layout::gathered(n, std::vector<int>{5, 2, 7}) == slots);
    CHECK(slot_layout::gathered(n, block_layout(numbers{5, 2, 7}), 3) == slots);
    CHECK(slot_layout::gathered(n, block_layout(6), 3) == slot_layout::gathered(6));
    CHECK(slot_layout::gathered(n, block_layout::partition(5, 3), 3) == slot_layout::gathered(n, numbers{2, 2, 1}));
    const slot_layout::gathered alone(neighborhood(), numbers{1, 2});
    CHECK(complaint(alone, {}, 2) == "");
    CHECK(alone.input_bytes({}, 1) == 2);
    CHECK(alone.output_bytes({}, 1) == 0);
}

TEST_CASE("slot_layout: one block per out-slot, which gives the in-slot that it fills its size") {
    const neighborhood n = some();
    const slot_layout::exchanged slots(n, numbers{4, 1, 2, 3, 9});
    CHECK(complaint(slots, n, 3) == "");
    CHECK(slots.sent(n, 0, 1) == byte_range{4, 1});
    CHECK(slots.sent(n, 0, 2) == byte_range{5, 2});
    CHECK(slots.input_bytes(n, 1) == 12);
    CHECK(slots.received(n, 1, 0) == byte_range{0, 4});
    CHECK(slots.received(n, 1, 1) == byte_range{4, 3});
    CHECK(slots.received(n, 1, 2) == byte_range{7, 2});
    CHECK(slots.output_bytes(n, 1) == 9);
    CHECK(slots.output_bytes(n, 2) == 1);
    CHECK(slot_layout::exchanged(n, block_layout(numbers{4, 1, 2, 3, 9})) == slots);
    CHECK(slot_layout::exchanged(n, std::vector<int>{4, 1, 2, 3, 9}) == slots);

    const slot_layout::exchanged placed(n, numbers{4, 1, 2, 3, 9}, numbers{3, 2, 0, 0, 5}, numbers{10, 0, 3, 6, 8});
    CHECK(complaint(placed, n, 3) == "");
    CHECK(placed.sent(n, 0, 0) == byte_range{3, 4});
    CHECK(placed.input_bytes(n, 0) == 7);
    CHECK(placed.input_bytes(n, 1) == 14);
    CHECK(placed.received(n, 1, 0) == byte_range{10, 4});
    CHECK(placed.received(n, 1, 1) == byte_range{0, 3});
    CHECK(placed.received(n, 1, 2) == byte_range{3, 2});
    CHECK(placed.output_bytes(n, 1) == 14);
    CHECK(placed.output_bytes(n, 2) == 9);
}

TEST_CASE("slot_layout: in a grid equal counts are the same as one block, at the borders too") {
    const neighborhood n = neighborhood::cartesian(numbers{3, 2}, numbers{0, 1});
    const auto same = [&](const slot_layout& counted, const slot_layout& one) {
        for (rank_t r = 0; r < 6; ++r) {
            CHECK(counted.input_bytes(n, r) == one.input_bytes(n, r));
            CHECK(counted.output_bytes(n, r) == one.output_bytes(n, r));
            for (rank_t i = 0; i < 4; ++i) CHECK(counted.sent(n, r, i) == one.sent(n, r, i));
            for (rank_t j = 0; j < 4; ++j) CHECK(counted.recv_displ(n, r, j) == one.recv_displ(n, r, j));
        }
    };
    same(slot_layout::gathered(n, numbers(6, 3)), slot_layout::gathered(3));
    same(slot_layout::exchanged(n, numbers(24, 3)), slot_layout::exchanged(3));
}

TEST_CASE("slot_layout: packed, every slot begins where the one before ends, in any graph") {
    for (rank_t p = 1; p <= 9; ++p)
        for (const auto& [name, n] : support::neighborhoods(p)) {
            CAPTURE(name);
            const numbers of_ranks = random_sizes(p, 3), of_slots = random_sizes(n.out_slots(), 4);
            const slot_layout::gathered gathered(n, of_ranks);
            const slot_layout::exchanged exchanged(n, of_slots);
            REQUIRE(complaint(gathered, n, p) == "");
            REQUIRE(complaint(exchanged, n, p) == "");
            for (rank_t r = 0; r < p; ++r) {
                bytes_t sent = 0;
                for (rank_t i = 0; i < n.out_degree(r); ++i) {
                    const bytes_t size = of_slots[static_cast<std::size_t>(n.out_slot(r, i))];
                    CHECK(exchanged.sent(n, r, i) == byte_range{sent, size});
                    CHECK(gathered.sent(n, r, i) == byte_range{0, of_ranks[static_cast<std::size_t>(r)]});
                    sent += size;
                }
                CHECK(exchanged.input_bytes(n, r) == sent);
                bytes_t displ[2] = {0, 0};
                for (rank_t j = 0; j < n.in_degree(r); ++j)
                    for (const bool gather : {false, true}) {
                        const slot_layout& slots = gather ? slot_layout(gathered) : slot_layout(exchanged);
                        const rank_t src = n.source(r, j);
                        bytes_t room = 0;
                        if (src >= 0) room = slots.sent(n, src, n.departure(r, j)).size;
                        else if (j < n.out_degree(r)) room = slots.sent(n, r, j).size;
                        CHECK(slots.recv_displ(n, r, j) == displ[gather]);
                        if (src >= 0) CHECK(slots.received(n, r, j) == byte_range{displ[gather], room});
                        displ[gather] += room;
                    }
                CHECK(exchanged.output_bytes(n, r) == displ[0]);
                CHECK(gathered.output_bytes(n, r) == displ[1]);
            }
        }
}

TEST_CASE("slot_layout: its parameters distinguish layouts") {
    const neighborhood n = some();
    CHECK(words(slot_layout::gathered(3)) == std::vector<std::int64_t>{1, 0, 3});
    CHECK(words(slot_layout::exchanged(3)) == std::vector<std::int64_t>{0, 0, 3});
    const slot_layout::exchanged slots(n, numbers{4, 1, 2, 3, 9});
    CHECK(words(slots) == std::vector<std::int64_t>{0, 1, 4, 1, 2, 3, 9, 7, 12, 0, 0, 4, 5, 0, 3, 0, 4, 7, 0, 0});
    CHECK(words(slots) != words(slot_layout::exchanged(n, numbers{4, 1, 2, 3, 8})));
    CHECK(words(slots) !=
          words(slot_layout::exchanged(n, numbers{4, 1, 2, 3, 9}, numbers{0, 4, 5, 0, 3}, numbers{0, 4, 8, 0, 0})));
    CHECK_FALSE(slots == slot_layout::exchanged(n, numbers{4, 1, 2, 3, 8}));
    // Rank 2 sends to no rank, but its input has another size.
    CHECK(words(slot_layout::gathered(n, numbers{1, 2, 3})) != words(slot_layout::gathered(n, numbers{1, 2, 4})));
    CHECK_FALSE(slot_layout::gathered(n, numbers{1, 2, 3}) == slot_layout::gathered(n, numbers{1, 2, 4}));
}

TEST_CASE("slot_layout: errors are reported") {
    const neighborhood n = some();
    CHECK(complaint(slot_layout::exchanged(0U), n, 3) == "");
    CHECK(complaint(slot_layout::gathered(-5), n, 3) == "block: got -5, expected 0 bytes or more");
    CHECK(complaint(slot_layout::gathered({}, block_layout::partition(5, (1 << 24) + 1), (1 << 24) + 1), {}, 1) ==
          "counts: got 16777217, expected 2^24 or less, as they are stored");
    CHECK(complaint(slot_layout::exchanged(-1), n, 3) == "block: got -1, expected 0 bytes or more");
    CHECK(complaint(slot_layout::gathered(UINT64_MAX), n, 3) ==
          "block: got 9223372036854775807, expected less than 2^63 bytes");
    constexpr bytes_t third = INT64_MAX / 3;
    CHECK(complaint(slot_layout::gathered(third), n, 3) == "");
    CHECK(complaint(slot_layout::gathered(third + 1), n, 3) ==
          "block: got 3074457345618258603, expected degree * block below 2^63 bytes");
    CHECK(complaint(slot_layout::gathered(n, numbers{1, 2}), n, 3) ==
          "counts: got 2, expected as many counts as ranks");
    CHECK(complaint(slot_layout::gathered(n, numbers{1, -2, 3}), n, 3) ==
          "counts[1]: got -2, expected 0 bytes or more");
    CHECK(complaint(slot_layout::gathered(n, numbers{third + 1, 0, 0}), n, 3) ==
          "counts[0]: got 3074457345618258603, expected count * degree below 2^63 bytes");
    CHECK(complaint(slot_layout::gathered(n, numbers{third, INT64_MAX / 2, 0}), n, 3) ==
          "counts: got 3074457345618258602, expected counts that sum to less than 2^63 bytes");
    CHECK(complaint(slot_layout::gathered(n, numbers{1, 2, 3}, numbers{0, 1, 2}), n, 3) ==
          "recv_displs: got 3, expected as many displacements as in-slots");
    CHECK(complaint(slot_layout::gathered(n, numbers{1, 2, 3}, numbers{0, 1, 2, 0, 0}), n, 3) ==
          "recv_displs[2]: got 2, expected blocks that do not overlap");
    CHECK(complaint(slot_layout::gathered(n, block_layout(-1), 3), n, 3) == "block: got -1, expected 0 bytes or more");
    CHECK(complaint(slot_layout::gathered(n, block_layout(UINT64_MAX), 3), n, 3).starts_with("block: got "));
    CHECK(complaint(slot_layout::gathered(n, block_layout(third), 4), n, 3) == "");
    CHECK(complaint(slot_layout::exchanged(n, block_layout(third)), n, 3) == "");
    CHECK(complaint(slot_layout::exchanged(n, block_layout::partition(-1, 3)), n, 3) ==
          "bytes: got -1, expected 0 bytes or more");
    CHECK(complaint(slot_layout::gathered(n, block_layout(numbers{1, 1}), 3), n, 3) ==
          "counts: got 2, expected as many counts as ranks");
    for (const rank_t ranks : {rank_t{1} << 31, INT64_MAX}) {  // reported before a table is made
        CHECK(complaint(slot_layout::gathered(n, block_layout::partition(5, ranks), ranks), n, ranks) ==
              "counts: got " + std::to_string(ranks) + ", expected as many counts as ranks");
        CHECK(complaint(slot_layout::gathered({}, block_layout::partition(5, ranks), ranks), {}, ranks) ==
              "counts: got " + std::to_string(ranks) + ", expected 2^24 or less, as they are stored");
        CHECK(complaint(slot_layout::gathered({}, block_layout(5), ranks), {}, ranks) == "");
    }
    CHECK(complaint(slot_layout::gathered({}, block_layout::partition(5, 1000), 1000), {}, 1000) == "");
    CHECK(complaint(slot_layout::gathered(n, block_layout(numbers{1, 1, 1}, numbers{2, 1, 0}), 3), n, 3) ==
          "displs[0]: got 2, expected packed blocks: slots have places of their own");

    CHECK(complaint(slot_layout::exchanged(n, numbers{1, 2, 3}), n, 3) ==
          "counts: got 3, expected as many counts as out-slots");
    CHECK(complaint(slot_layout::exchanged(n, block_layout(numbers{1, 2, 3})), n, 3) ==
          "counts: got 3, expected as many counts as out-slots");
    CHECK(complaint(slot_layout::exchanged(n, numbers{1, 2, 3, -4, 5}), n, 3) ==
          "counts[3]: got -4, expected 0 bytes or more");
    CHECK(complaint(slot_layout::exchanged(n, numbers{1, 2, 3, 4, 5}, numbers{0, 1}, numbers{0, 1, 2, 3, 4}), n, 3) ==
          "send_displs: got 2, expected as many displacements as out-slots");
    CHECK(complaint(slot_layout::exchanged(n, numbers{1, 2, 3, 4, 5}, numbers{0, 1, 3, 1, 0}, numbers{0, 5, 1, 0, 0}),
                    n, 3) == "send_displs[3]: got 1, expected blocks that do not overlap");
    CHECK(complaint(slot_layout::exchanged(n, numbers{1, 2, 3, 4, 5}, numbers{0, 1, 3, 5, 0}, numbers{0, 5, -1, 0, 0}),
                    n, 3) == "recv_displs[2]: got -1, expected 0 bytes or more");

    const slot_layout::exchanged made(n, numbers{1, 2, 3, 4, 5});
    CHECK(complaint(made, n, 3) == "");
    CHECK(complaint(made, some(), 3) == "");
    CHECK(complaint(made, n, 4) == "counts: got 3, expected counts for as many ranks as there are");
    CHECK(complaint(made, neighborhood(numbers{3, 2, 0}, numbers{1, 2, 1, 1, -1}), 3) ==
          "counts: got 5, expected counts for these neighbors");
    const neighborhood wrong(numbers{1}, numbers{7});
    CHECK(complaint(slot_layout::exchanged(wrong, numbers{1}), wrong, 1) ==
          "neighbors[0]: got 7, expected 0 to ranks-1, or -1 for none");
}

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
