#include "collsched/core/detail/block_table.hpp"

#include <doctest/doctest.h>

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

TEST_CASE("block_table: errors are reported with their rank") {
    CHECK(block_table(list{}).error.value == 0);
    CHECK(block_table(list{1, -2}).error.index == 1);
    CHECK(block_table(list{INT64_MAX, 1}).error.index == 1);
    CHECK(block_table(list{1}, list{0, 1}).error.value == 2);
    CHECK(block_table(list{2, 2}, list{0, 1}).error.index == 1);
    CHECK(block_table(list{2, 0}, list{0, 1}).error.argument == nullptr);
    CHECK(block_table(list{2}, list{-1}).error.value == -1);
}
