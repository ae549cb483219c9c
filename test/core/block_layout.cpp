#include "collsched/core/block_layout.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "support/layouts.hpp"

using namespace collsched;
using namespace collsched::detail;

namespace {

using sizes = std::vector<bytes_t>;

std::string complaint(const block_layout& layout, rank_t ranks) {
    const argument_error error = layout.check(ranks);
    return error ? error.text().c_str() : "";
}

}  // namespace

TEST_CASE("block_layout: an interval and a run are empty by default, and a layout has empty blocks") {
    static_assert(block_interval{} == block_interval{0, 0});
    static_assert(block_layout::run{}.end == 0 && block_layout::run{}.bytes == byte_range{0, 0});
    static_assert(block_layout() == block_layout(0) && block_layout().extent(3) == 0 && !block_layout().check(3));
}

TEST_CASE("block_layout: equal blocks are packed in rank order") {
    constexpr block_layout four(4);
    static_assert(four.count(7) == 4 && four.displ(3) == 12 && four.extent(5) == 20 && !four.has_gaps(5));
    static_assert(four.uniform() && !four.irregular());
    static_assert(four.bytes({3, 4}, 5) == 16, "an interval that wraps");
}

TEST_CASE("block_layout: a partition gives the first parts one element more") {
    for (rank_t p = 1; p <= 12; ++p)
        for (bytes_t elements = 0; elements <= 40; ++elements) {
            const auto parts = block_layout::partition(elements * 8, p, 8);
            REQUIRE(!parts.check(p));
            bytes_t before = 0;
            for (rank_t i = 0; i < p; ++i) {
                CHECK(parts.count(i) == (elements / p + (i < elements % p ? 1 : 0)) * 8);
                CHECK(parts.displ(i) == before);
                before += parts.count(i);
            }
            CHECK(before == elements * 8);
        }
}

TEST_CASE("block_layout: runs cover exactly the bytes of the blocks, as long as they are contiguous") {
    for (rank_t p = 1; p <= 9; ++p)
        for (const auto& [name, layout] : support::layouts(p)) {
            CAPTURE(name);
            for (rank_t first = 0; first < p; ++first)
                for (rank_t limit = first + 1; limit <= p; ++limit) {
                    std::vector<bytes_t> expected, found;
                    for (rank_t i = first; i < limit; ++i)
                        for (bytes_t b = 0; b < layout.count(i); ++b) expected.push_back(layout.displ(i) + b);
                    bytes_t end_of_last = -1;
                    for (rank_t at = first; at < limit;) {
                        const auto run = layout.run_at(at, limit);
                        REQUIRE(run.end > at);
                        REQUIRE(run.end <= limit);
                        if (run.bytes.size > 0) CHECK(run.bytes.offset != end_of_last);
                        for (bytes_t b = 0; b < run.bytes.size; ++b) found.push_back(run.bytes.offset + b);
                        if (run.bytes.size > 0) end_of_last = run.bytes.end();
                        at = run.end;
                    }
                    CHECK(found == expected);
                    CHECK(layout.bytes({first, limit - first}, p) == static_cast<bytes_t>(expected.size()));
                }
        }
}

TEST_CASE("block_layout: numbers of filled blocks, of bytes and of gaps equal a count block by block") {
    for (rank_t p = 1; p <= 9; ++p)
        for (const auto& [name, layout] : support::layouts(p)) {
            CAPTURE(name);
            rank_t filled = 0;
            bytes_t bytes = 0, extent = 0;
            for (rank_t i = 0; i < p; ++i) {
                CHECK(layout.filled(i) == filled);
                CHECK(layout.prefix(i) == bytes);
                if (layout.count(i) > 0) CHECK(layout.nth_filled(filled++) == i);
                if (layout.count(i) > 0 || layout.irregular())
                    extent = std::max(extent, layout.displ(i) + layout.count(i));
                bytes += layout.count(i);
                for (rank_t n = 0; n <= p; ++n) {
                    bytes_t sum = 0;
                    for (rank_t k = 0; k < n; ++k) sum += layout.count((i + k) % p);
                    CHECK(layout.bytes({i, n}, p) == sum);
                }
            }
            CHECK(layout.filled(p) == filled);
            CHECK(layout.prefix(p) == bytes);
            CHECK(layout.extent(p) == extent);
            CHECK(layout.has_gaps(p) == (extent > bytes));
            CHECK(layout.uniform() ==
                  (name == "equal" || name == "empty" || (name == "cut" && (4 * p + p / 2) % p == 0)));
            rank_t end = p;
            while (!layout.irregular() && end > 0 && layout.count(end - 1) == 0) --end;
            CHECK(layout.filled_end(p) == end);
        }
    CHECK(block_layout::partition(2, 5).filled(1) == 1);
    CHECK(block_layout::partition(2, 5).filled(4) == 2);
    CHECK(block_layout::partition(2, 5).filled_end(5) == 2);
}

// An access beyond a table is no constant expression.
static_assert([] {
    const bytes_t counts[]{0, 3, 0, 0, 1}, displs[]{9, 5, 0, 0, 8}, none[]{0, 0};
    const block_layout layout{std::span<const bytes_t>(counts), std::span<const bytes_t>(displs)};
    const block_layout empty{std::span<const bytes_t>(none)};
    for (rank_t i = 0; i < 5; ++i)
        for (rank_t end = i + 1; end <= 5; ++end)
            if (layout.run_at(i, end).bytes.size > layout.bytes({i, end - i}, 5)) return false;
    return layout.nth_filled(0) == 1 && layout.nth_filled(1) == 4 && empty.run_at(0, 2).bytes.size == 0 &&
           layout == block_layout{std::span<const bytes_t>(counts), std::span<const bytes_t>(displs)};
}());

TEST_CASE("block_layout: a partition is for its own number of ranks, and in equal parts a layout of equal blocks") {
    const char* const own = "as many as the layout was cut in parts for";
    CHECK(block_layout::partition(10, 3).check(4) == argument_error{"ranks", 4, own});
    CHECK(block_layout::partition(10, 1).check(2) == argument_error{"ranks", 2, own});
    CHECK(block_layout::partition(24, 3, 4) == block_layout(8));
    CHECK(block_layout::partition(24, 3, 4).uniform());
    CHECK_FALSE(block_layout::partition(24, 5, 4).uniform());
    CHECK(!block_layout::partition(std::numeric_limits<bytes_t>::max(), 4).check(4));
}

TEST_CASE("block_layout: its parameters distinguish it from others") {
    const auto words = [](const block_layout& layout) {
        sizes all;
        layout.describe([&](std::int64_t word) { all.push_back(word); });
        return all;
    };
    CHECK(words(block_layout(4)) == sizes{4, 0, 1, 0});
    CHECK(words(block_layout::partition(22, 4, 2)) == sizes{4, 3, 2, 0});
    CHECK(words(block_layout(sizes{2, 3}, sizes{3, 0})) == sizes{0, 0, 1, 2, 2, 3, 3, 0});
    const std::vector<block_layout> different{block_layout(0),
                                              block_layout(4),
                                              block_layout(-1),
                                              block_layout::partition(-1, 3),
                                              block_layout::partition(7, 2),     // 4, 3
                                              block_layout::partition(9, 2, 3),  // 6, 3
                                              block_layout::partition(14, 3),
                                              block_layout::partition(11, 3),
                                              block_layout(sizes{4, 4}),
                                              block_layout(sizes{4, 3}),
                                              block_layout(sizes{4, 3}, sizes{3, 0})};
    for (std::size_t i = 0; i < different.size(); ++i)
        for (std::size_t j = 0; j < different.size(); ++j) CHECK((different[i] == different[j]) == (i == j));
}

TEST_CASE("block_layout: errors of wrong layouts are reported") {
    constexpr auto most = std::numeric_limits<bytes_t>::max();
    CHECK(complaint(block_layout(-1), 2) == "block: got -1, expected 0 bytes or more");
    CHECK(complaint(block_layout(most), 1) == "");
    CHECK(complaint(block_layout(most / 2 + 1), 2) ==
          "block: got 4611686018427387904, expected ranks * block below 2^63 bytes");
    CHECK(complaint(block_layout(std::uint64_t{1} << 63), 1) ==
          "block: got 9223372036854775807, expected less than 2^63 bytes");
    CHECK(complaint(block_layout(sizes{}), 1) == "counts: got 0, expected at least one count");
    CHECK(complaint(block_layout(sizes{1, 2}), 3) == "counts: got 2, expected as many counts as ranks");
    CHECK(complaint(block_layout(sizes{1, -2}), 2) == "counts[1]: got -2, expected 0 bytes or more");
    CHECK(complaint(block_layout(sizes{1, most}), 2) ==
          "counts[1]: got 9223372036854775807, expected counts that sum to less than 2^63 bytes");
    CHECK(complaint(block_layout(sizes{1, 2}, sizes{0}), 2) ==
          "displs: got 1, expected as many displacements as counts");
    CHECK(complaint(block_layout(sizes{1, 2}, sizes{0, -1}), 2) == "displs[1]: got -1, expected 0 bytes or more");
    CHECK(complaint(block_layout(sizes{1, 2}, sizes{0, most}), 2) ==
          "displs[1]: got 9223372036854775807, expected displacement + count below 2^63 bytes");
    CHECK(complaint(block_layout(sizes{3, 2}, sizes{4, 3}), 2) ==
          "displs[0]: got 4, expected blocks that do not overlap");
    CHECK(complaint(block_layout(sizes{3, 0, 2}, sizes{0, 1, 3}), 3) == "");
    CHECK(complaint(block_layout::partition(10, 3, 4), 3) == "element: got 4, expected a size that divides the total");
    CHECK(complaint(block_layout::partition(-1, 3), 3) == "bytes: got -1, expected 0 bytes or more");
    CHECK(complaint(block_layout::partition(3, 0), 3) == "ranks: got 0, expected 1 or more");
    CHECK(complaint(block_layout::partition(3, 3, 0), 3) == "element: got 0, expected 1 byte or more");
}

TEST_CASE("block_layout: a block size of any integer type is kept up to 2^63 - 1 bytes, and no size is negative") {
    const auto bounds = [](auto zero) {
        using integer = decltype(zero);
        constexpr integer least = std::numeric_limits<integer>::min(), most = std::numeric_limits<integer>::max();
        CHECK(complaint(block_layout(integer{0}), 1) == "");
        if constexpr (std::is_signed_v<integer>)
            CHECK(complaint(block_layout(least), 1) ==
                  "block: got " + std::to_string(least) + ", expected 0 bytes or more");
        if constexpr (std::is_signed_v<integer> || sizeof(integer) < sizeof(bytes_t)) {
            CHECK(complaint(block_layout(most), 1) == "");
            CHECK(block_layout(most).count(0) == static_cast<bytes_t>(most));
        } else {
            const std::string beyond = "block: got 9223372036854775807, expected less than 2^63 bytes";
            CHECK(complaint(block_layout(most), 1) == beyond);
            CHECK(complaint(block_layout(most / 2 + 1), 1) == beyond);
            CHECK(complaint(block_layout(most / 2), 1) == "");
        }
    };
    bounds(static_cast<signed char>(0)), bounds(static_cast<unsigned char>(0));
    bounds(short{0}), bounds(static_cast<unsigned short>(0)), bounds(0), bounds(0U);
    bounds(0L), bounds(0UL), bounds(0LL), bounds(0ULL);
}

TEST_CASE("block_layout: totals beyond 2^32 are exact") {
    const bytes_t two_gib = bytes_t{1} << 31;
    const block_layout huge(sizes{two_gib, 0, two_gib + 1, 5});
    CHECK(!huge.check(4));
    CHECK(huge.extent(4) == 2 * two_gib + 6);
    CHECK(huge.displ(3) == 2 * two_gib + 1);
    CHECK(block_layout(two_gib).displ(2048) == two_gib * 2048);
}

TEST_CASE("block_layout: counts and displacements of other integer types are accepted") {
    const std::vector<int> counts{3, 0, 2}, displs{5, 0, 0};
    const std::vector<bytes_t> wide{3, 0, 2}, places{5, 0, 0};
    CHECK(block_layout(counts) == block_layout(wide));
    CHECK(block_layout(counts, displs) == block_layout(wide, places));
    CHECK(complaint(block_layout(std::vector<int>{1, -1}), 2).find("counts[1]") != std::string::npos);
    static_assert(!std::is_convertible_v<bool, block_layout> && std::is_convertible_v<unsigned short, block_layout>);
}

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
