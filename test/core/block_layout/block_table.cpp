#include "collsched/core/block_layout.hpp"

#include <doctest/doctest.h>

#include <span>
#include <vector>

using namespace collsched;
using namespace collsched::detail;

namespace {
using list = std::vector<std::int64_t>;
list values(const owned_array<std::int64_t>& a) { return {a.begin(), a.end()}; }
}  // namespace

TEST_CASE("block_table: properties that follow from counts and displacements") {
    const block_table t(list{3, 0, 2, 4}, list{10, 99, 13, 0});
    REQUIRE(!t.error);
    CHECK(values(t.prefix) == list{0, 3, 3, 5, 9});
    CHECK(values(t.filled) == list{0, 1, 1, 2, 3});
    CHECK(t.extent == 99);     // an empty block counts with its displacement
    CHECK(t.run_end[0] == 3);  // blocks 0 to 2 are one piece, with the empty one in between
    CHECK(t.run_end[3] == 4);
}

TEST_CASE("block_table: packed in rank order all blocks are one run") {
    const block_table t(list{1, 0, 5});
    REQUIRE(!t.error);
    CHECK(values(t.displs) == list{0, 1, 1});
    CHECK(values(t.run_end) == list{3, 3, 3});
    CHECK(t == block_table(list{1, 0, 5}, list{0, 1, 1}));
}

TEST_CASE("block_table: blocks of one byte, empty blocks and blocks without bytes at all") {
    const block_table packed(list{2, 1, 0, 4});
    CHECK(values(packed.counts) == list{2, 1, 0, 4});
    CHECK(values(packed.displs) == list{0, 2, 3, 3});
    CHECK(values(packed.prefix) == list{0, 2, 3, 3, 7});
    CHECK(values(packed.filled) == list{0, 1, 2, 2, 3});
    CHECK(values(packed.run_end) == list{4, 4, 4, 4});
    CHECK(packed.extent == 7);
    const block_table apart(list{1, 1, 0}, list{2, 0, 0});
    CHECK(values(apart.run_end) == list{1, 3, 3});
    CHECK(apart.extent == 3);
    const block_table none(list{0, 0}, list{0, 0});
    CHECK(values(none.run_end) == list{2, 2});
    CHECK(none.extent == 0);
    CHECK(block_table(list{0, 0}).extent == 0);
}

TEST_CASE("block_table: tables are equal if counts, displacements and errors are") {
    const block_table t(list{1, 2}, list{0, 4});
    CHECK(t == block_table(list{1, 2}, list{0, 4}));
    CHECK_FALSE(t == block_table(list{2, 2}, list{0, 4}));
    CHECK_FALSE(t == block_table(list{1, 2}, list{0, 5}));
    CHECK_FALSE(block_table(list{1, 2}, list{0, 0}) == block_table(list{1, 2}, list{0, 1}));
    CHECK_FALSE(block_table(list{-1, 2}) == block_table(list{1, 2}));
}

// An access beyond a table is no constant expression.
static_assert([] {
    bytes_t counts[40] = {}, displs[40] = {};
    for (int i = 0; i < 40; ++i) counts[i] = i % 3, displs[i] = (i * 17) % 40 * 2;
    const block_table t(counts, displs);
    bool in_order = !t.error && t.extent == 79 && t.prefix[40] == 39 && t.filled[40] == 26;
    for (int i = 0; i < 40; ++i) in_order = in_order && t.run_end[i] > i && t.run_end[i] <= 40;
    return in_order && block_table(std::span<const bytes_t>(counts, 1)).run_end[0] == 1;
}());

TEST_CASE("block_table: errors have argument, value, range and index") {
    const char *const no_overlap = "blocks that do not overlap", *const none_negative = "0 bytes or more",
                      *const below = "displacement + count below 2^63 bytes";
    CHECK(block_table(list{}).error == argument_error{"counts", 0, "at least one count"});
    CHECK(block_table(list{-3, -2}).error == argument_error{"counts", -3, none_negative, 0});
    CHECK(block_table(list{0, -2}).error == argument_error{"counts", -2, none_negative, 1});
    CHECK(block_table(list{INT64_MAX, 0, 1, 1}).error ==
          argument_error{"counts", 1, "counts that sum to less than 2^63 bytes", 2});
    CHECK(block_table(list{1}, list{0, 1}).error == argument_error{"displs", 2, "as many displacements as counts"});
    CHECK(block_table(list{2, 1}, list{-1, -2}).error == argument_error{"displs", -1, none_negative, 0});
    CHECK(block_table(list{2, 1}, list{0, INT64_MAX}).error == argument_error{"displs", INT64_MAX, below, 1});
    CHECK(!block_table(list{2, 1}, list{0, INT64_MAX - 1}).error);
    CHECK(block_table(list{2, 2}, list{0, 1}).error == argument_error{"displs", 1, no_overlap, 1});
    CHECK(block_table(list{1, 1, 1}, list{5, 0, 5}).error == argument_error{"displs", 5, no_overlap, 2});
    CHECK(block_table(list{1, 1, 1}, list{7, 3, 3}).error == argument_error{"displs", 3, no_overlap, 2});
    CHECK(!block_table(list{2, 0, 2}, list{0, 1, 2}).error);
}

TEST_CASE("block_table: errors are reported with their rank") {
    CHECK(block_table(list{}).error.value == 0);
    CHECK(block_table(list{1, -2}).error.index == 1);
    CHECK(block_table(list{INT64_MAX, 1}).error.index == 1);
    CHECK(block_table(list{1}, list{0, 1}).error.value == 2);
    CHECK(block_table(list{2, 2}, list{0, 1}).error.index == 1);
    CHECK(block_table(list{2, 0}, list{0, 1}).error.argument == nullptr);
    CHECK(block_table(list{2}, list{-1}).error.value == -1);
}
