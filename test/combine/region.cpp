#include "collsched/combine/region.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "collsched/schedule/fingerprint.hpp"
#include "support/layouts.hpp"

using namespace collsched;

namespace {

constexpr bytes_t most = std::numeric_limits<bytes_t>::max();

/// The places of the bytes of the blocks first .. ranks-1, one by one, and of some bytes after them.
std::vector<bytes_t> places(bytes_t start, const block_layout& blocks, rank_t ranks, rank_t first) {
    std::vector<bytes_t> of_bytes;
    for (rank_t b = first; b < ranks; ++b)
        for (bytes_t i = 0; i < blocks.count(b); ++i) of_bytes.push_back(start + blocks.displ(b) + i);
    bytes_t end = 0;
    for (rank_t b = 0; b < ranks; ++b) end = std::max(end, blocks.displ(b) + blocks.count(b));
    for (bytes_t i = 0; i < 5; ++i) of_bytes.push_back(start + end + i);
    return of_bytes;
}

/// The first byte that a region places elsewhere, in a shorter piece than it reports, or with another reach; or -1.
std::int64_t first_difference(const region& there, buffer where, const std::vector<bytes_t>& expected) {
    bytes_t reach = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const region::piece here = there.at(static_cast<bytes_t>(i));
        if (here.start != location{where, expected[i]} || here.size < 1) return static_cast<std::int64_t>(i);
        for (std::size_t n = 1; n < expected.size() - i && std::cmp_less(n, here.size); ++n)
            if (expected[i + n] != expected[i] + static_cast<bytes_t>(n)) return static_cast<std::int64_t>(i);
        if (there.reach(static_cast<bytes_t>(i)) != reach) return static_cast<std::int64_t>(i);
        reach = std::max(reach, expected[i] + 1);
    }
    return there.where() == where ? -1 : 0;
}

/// Blocks in an order of their own, with gaps in between and empty ones among them.
block_layout any_layout(support::random_source& random, rank_t ranks, std::uint64_t seed) {
    std::vector<bytes_t> counts(static_cast<std::size_t>(ranks));
    for (bytes_t& count : counts) count = random.below(3) == 0 ? 0 : random.below(6);
    return support::shuffled(counts, seed, random.below(3));
}

constexpr bytes_t some_counts[] = {3, 0, 2}, some_displs[] = {10, 4, 0};
constexpr region::piece piece_at(bytes_t offset) {
    return region({buffer::output, 100}, {some_counts, some_displs}, 3).at(offset);
}
static_assert(piece_at(0).start == location{buffer::output, 110} && piece_at(0).size == 3);
static_assert(piece_at(2).start == location{buffer::output, 112} && piece_at(2).size == 1);
static_assert(piece_at(3).start == location{buffer::output, 100} && piece_at(3).size == 2);
static_assert(piece_at(5).start == location{buffer::output, 113});
static_assert(region({buffer::scratch, 7}).at(5).start == location{buffer::scratch, 12});
static_assert(region({buffer::scratch, 7}).reach(5) == 12 && region({buffer::scratch, 7}).reach(0) == 0);

}  // namespace

TEST_CASE("region: every byte is at the place counted byte by byte, and reach is the furthest of the first") {
    for (rank_t p = 1; p <= 9; ++p)
        for (const auto& [name, layout] : support::layouts(p, 2))
            for (const rank_t first : {rank_t{0}, p / 2, p - 1, p}) {
                if (name == "huge" && p > 3) continue;
                INFO(name, " p=", p, " first=", first);
                const bytes_t start = 3 * first;
                const region there({buffer::scratch, start}, layout, p, first);
                CHECK(first_difference(there, buffer::scratch, places(start, layout, p, first)) == -1);
            }
    support::random_source random(7);
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        CAPTURE(seed);
        const rank_t p = 1 + random.below(12), first = random.below(p + 1);
        const bytes_t start = random.below(50);
        const block_layout layout = any_layout(random, p, seed);
        const region there({buffer::output, start}, layout, p, first);
        CHECK(first_difference(there, buffer::output, places(start, layout, p, first)) == -1);
    }
}

TEST_CASE("region: adjacent bytes are reported as one piece, for any blocks") {
    const std::vector<bytes_t> counts{2, 0, 3, 4, 0, 1}, displs{5, 0, 7, 20, 9, 24};
    const block_layout blocks(counts, displs);
    const region all({buffer::output, 0}, blocks, 6);
    CHECK(all.at(0).size == 5);
    CHECK(all.at(1).size == 4);
    CHECK(all.at(5).size == 5);
    CHECK(all.at(5).start.offset == 20);
    CHECK(region({buffer::output, 0}, blocks, 6, 3).at(0).size == 5);
    const block_layout packed(counts);
    for (bytes_t i = 0; i < packed.prefix(6); ++i)
        CHECK(region({buffer::output, 0}, packed, 6).at(i).size == packed.prefix(6) - i);
}

TEST_CASE("region: one piece, or packed blocks without a table, has no end") {
    CHECK(region({buffer::input, 9}).at(1000).size == most);
    CHECK(region({buffer::input, 9}, block_layout(4), 5, 2).at(3).start == location{buffer::input, 20});
    CHECK(region({buffer::input, 9}, block_layout(4), 5, 2).at(3).size == most);
    const region parts({buffer::input, 0}, block_layout::partition(11, 4), 4, 2);
    CHECK(parts.at(0).start.offset == 6);
    CHECK(parts.reach(5) == 11);
}

TEST_CASE("region: bytes after the last block are after all of them") {
    const std::vector<bytes_t> counts{3, 2, 0}, displs{40, 0, 70};
    const region there({buffer::output, 100}, {counts, displs}, 3);
    CHECK(there.at(5).start.offset == 170);
    CHECK(there.at(6).start.offset == 171);
    CHECK(there.reach(5) == 143);
    CHECK(there.reach(7) == 172);
    const std::vector<bytes_t> nothing{0, 0}, apart{8, 3};
    CHECK(region({buffer::output, 0}, {nothing, apart}, 2).at(0).start.offset == 8);
    CHECK(region({buffer::output, 0}, {nothing, apart}, 2).reach(0) == 0);
}

TEST_CASE("region: places beyond 2^63 are the last byte, and never negative") {
    const std::vector<bytes_t> counts{4, most - 20}, displs{most - 10, 5}, few{4, 4}, gapped{6, 0};
    for (const bytes_t start : {bytes_t{0}, bytes_t{6}, bytes_t{11}, most - 1, most})
        for (const region& there :
             {region({buffer::scratch, start}, {counts, displs}, 2),
              region({buffer::scratch, start}, {counts, displs}, 2, 1),
              region({buffer::scratch, start}, {few, gapped}, 2),
              region({buffer::scratch, start}, block_layout(most / 4), 4, 3), region({buffer::scratch, start})}) {
            CAPTURE(start);
            for (const bytes_t offset : {bytes_t{0}, bytes_t{3}, bytes_t{4}, bytes_t{7}, bytes_t{8}, most - 17, most}) {
                CHECK(there.at(offset).start.offset >= start);
                CHECK(there.reach(offset) >= (offset == 0 ? 0 : start));
            }
        }
    CHECK(region({buffer::scratch, most - 3}).at(4).start.offset == most);
    CHECK(region({buffer::scratch, most - 3}).reach(4) == most);
    CHECK(region({buffer::scratch, most - 3}, {few, gapped}, 2).at(0).start.offset == most);
    CHECK(region({buffer::scratch, most - 3}, {few, gapped}, 2).at(4).start.offset == most - 3);
    CHECK(region({buffer::scratch, 1}, {counts, displs}, 2, 1).at(most).start.offset == most);
}

// An access beyond a layout is no constant expression.
static_assert([] {
    const bytes_t counts[]{2, 0, 3, 0, 1}, displs[]{9, 0, 2, 5, 0};
    const block_layout blocks{std::span<const bytes_t>(counts), std::span<const bytes_t>(displs)};
    const bytes_t places[]{9, 10, 2, 3, 4, 0, 11, 12};  // the extent is 11
    for (rank_t first = 0; first <= 5; ++first) {
        const region there({buffer::output, 100}, blocks, 5, first);
        for (bytes_t i = blocks.prefix(first); i < 8; ++i)
            if (there.at(i - blocks.prefix(first)).start != location{buffer::output, 100 + places[i]}) return false;
    }
    return region::piece{{}}.size == 0;
}());

TEST_CASE("region: its parameters distinguish it from other regions") {
    const std::vector<bytes_t> counts{3, 2, 0}, displs{4, 0, 7};
    const block_layout blocks(counts, displs);
    const std::vector<region> all{region({buffer::input, 0}),
                                  region({buffer::output, 0}),
                                  region({buffer::output, 1}),
                                  region({buffer::output, 0}, blocks, 3),
                                  region({buffer::output, 0}, blocks, 3, 1),
                                  region({buffer::output, 0}, block_layout(counts), 3),
                                  region({buffer::output, 0}, block_layout(2), 3),
                                  region({buffer::output, 0}, block_layout(2), 4)};
    for (const region& a : all)
        for (const region& b : all) CHECK((fingerprint_of("region", a) == fingerprint_of("region", b)) == (&a == &b));
}
