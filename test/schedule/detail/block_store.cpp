#include "collsched/schedule/detail/block_store.hpp"

#include <doctest/doctest.h>

#include <span>
#include <tuple>
#include <vector>

#include "support/layouts.hpp"

using namespace collsched;

namespace {

std::vector<bytes_t> bytes_of(detail::run_cursor at) {
    std::vector<bytes_t> all;
    for (; !at.done(); at.advance(at.piece().size))
        for (bytes_t i = 0; i < at.piece().size; ++i) all.push_back(at.piece().offset + i);
    return all;
}

}  // namespace

TEST_CASE("block_store: a cursor over a cyclic interval goes block by block, in cyclic order") {
    for (rank_t p = 1; p <= 7; ++p)
        for (const auto& [name, layout] : support::layouts(p)) {
            CAPTURE(name);
            for (rank_t first = 0; first < p; ++first)
                for (rank_t count = 0; count <= p; ++count) {
                    std::vector<bytes_t> expected;
                    for (rank_t i = 0; i < count; ++i)
                        for (bytes_t b = 0; b < layout.count((first + i) % p); ++b)
                            expected.push_back(layout.displ((first + i) % p) + b);
                    const detail::run_cursor at(buffer::output, layout, p, {first, count});
                    CHECK(bytes_of(at) == expected);
                    if (!layout.irregular() && first + count <= p) CHECK(at.last());
                }
        }
}

TEST_CASE("block_store: joined runs are as long as both ends are contiguous, and pair the bytes in order") {
    const std::vector<bytes_t> counts{2, 2, 2}, displs{10, 20, 22};
    const block_layout there(counts, displs);
    std::vector<edge> made;
    const auto keep = [&](const edge& e) { made.push_back(e); };
    detail::join_runs({.step = 3, .src = 1, .dst = 2}, {buffer::scratch, {5, 6}}, {buffer::output, there, 3, {0, 3}},
                      keep);
    REQUIRE(made.size() == 2);
    CHECK(made[0] ==
          edge{.step = 3, .src = 1, .dst = 2, .from_offset = 5, .into_offset = 10, .size = 2, .from = buffer::scratch});
    CHECK(made[1] ==
          edge{.step = 3, .src = 1, .dst = 2, .from_offset = 7, .into_offset = 20, .size = 4, .from = buffer::scratch});
}

TEST_CASE("block_store: rotated_store packs the blocks r, r+1, ... and needs no scratch for one rank") {
    const block_layout two(2);
    const detail::rotated_store store{two, 5};
    CHECK(store.scratch(3) == 10);
    CHECK(bytes_of(store.write(3, {4, 2})) == std::vector<bytes_t>{2, 3, 4, 5});
    CHECK(detail::rotated_store{two, 1}.scratch(0) == 0);
    CHECK(store.steps(3) == 4);
    CHECK(detail::rotated_store{two, 1}.steps(0) == 1);
    CHECK(store.copy_steps(3, 3) == step_range{0, 3});
}

TEST_CASE(
    "block_store: stores copy their own block in the first step; rotated_store copies all blocks in the last step") {
    using copied = std::tuple<buffer, std::vector<bytes_t>, buffer, std::vector<bytes_t>>;
    const auto copies = [](const auto& store, step_t k) {
        std::vector<copied> all;
        store.copies(1, k, 3, [&](detail::run_cursor from, detail::run_cursor into) {
            all.push_back({from.where(), bytes_of(from), into.where(), bytes_of(into)});
        });
        return all;
    };
    const detail::rotated_store rotated{block_layout(1), 3};
    CHECK(copies(rotated, 0) == std::vector{copied{buffer::input, {0}, buffer::scratch, {0}}});
    for (const step_t k : {1, 2}) CHECK(copies(rotated, k).empty());
    CHECK(copies(rotated, 3) == std::vector{copied{buffer::scratch, {0, 1, 2}, buffer::output, {1, 2, 0}}});
    const detail::output_store placed{block_layout(1), 3};
    CHECK(placed.copy_steps(1, 3) == step_range{0, 0});
    CHECK(copies(placed, 0) == std::vector{copied{buffer::input, {0}, buffer::output, {1}}});
    for (const step_t k : {1, 2, 3}) CHECK(copies(placed, k).empty());
}

TEST_CASE("block_store: a cursor over a piece ends with it, and one over no blocks at once") {
    const auto check = [](detail::run_cursor at, byte_range piece) {
        CHECK(at.where() == buffer::scratch);
        CHECK(at.last());
        CHECK(at.piece() == piece);
        CHECK(at.done() == (piece.size == 0));
        at.advance(piece.size);
        CHECK(at.done());
        CHECK(at.piece() == byte_range{piece.end(), 0});
    };
    check({buffer::scratch, byte_range{5, 3}}, {5, 3});
    check({buffer::scratch, byte_range{5, 0}}, {5, 0});
    check({buffer::scratch, block_layout(2), 4, {1, 3}}, {2, 6});
    const std::vector<bytes_t> counts{1, 1};
    detail::run_cursor none(buffer::output, block_layout(counts), 2, {1, 0});
    CHECK(none.last());
    CHECK(none.done());
}

TEST_CASE("block_store: one rank copies its block from input to output in one step, and needs no scratch") {
    const block_layout three(3);
    const auto check = [](const auto& store) {
        int copies = 0;
        CHECK(store.steps(0) == 1);
        CHECK(store.scratch(0) == 0);
        CHECK(store.block_count() == 1);
        store.copies(0, 0, 0, [&](detail::run_cursor from, detail::run_cursor into) {
            ++copies;
            CHECK(from.where() == buffer::input);
            CHECK(into.where() == buffer::output);
            CHECK(bytes_of(from) == std::vector<bytes_t>{0, 1, 2});
            CHECK(bytes_of(into) == std::vector<bytes_t>{0, 1, 2});
        });
        CHECK(copies == 1);
    };
    check(detail::output_store{three, 1});
    check(detail::rotated_store{three, 1});
}

TEST_CASE("block_store: rotated_store reads the own block from input in step 0 and from scratch later") {
    const block_layout two(2);
    const detail::rotated_store store{two, 5};
    CHECK(store.read(3, 0, {3, 1}).where() == buffer::input);
    CHECK(bytes_of(store.read(3, 0, {3, 1})) == std::vector<bytes_t>{0, 1});
    CHECK(store.read(3, 1, {3, 1}).where() == buffer::scratch);
    CHECK(bytes_of(store.read(3, 1, {3, 2})) == std::vector<bytes_t>{0, 1, 2, 3});
    CHECK(bytes_of(store.read(3, 2, {1, 2})) == std::vector<bytes_t>{6, 7, 8, 9});
    CHECK(store.write(3, {0, 1}).where() == buffer::scratch);
    CHECK(store.block_count() == 5);
    const detail::output_store placed{two, 5};
    CHECK(placed.steps(3) == 3);
    CHECK(placed.block_count() == 5);
    CHECK(placed.write(3, {0, 1}).where() == buffer::output);
}

// An access beyond a layout is no constant expression.
static_assert([] {
    const bytes_t counts[]{2, 0, 1}, displs[]{3, 0, 0}, tail[]{1, 0, 0};
    const block_layout there{std::span<const bytes_t>(counts), std::span<const bytes_t>(displs)};
    const block_layout ended{std::span<const bytes_t>(tail)};
    bytes_t sum = 0;
    const auto add = [&](const edge& e) { sum = sum * 10 + e.size + e.into_offset; };
    for (rank_t first = 0; first < 3; ++first)
        detail::join_runs({}, {buffer::input, {0, 3}}, {buffer::output, there, 3, {first, 3}}, add);
    detail::join_runs({}, {buffer::input, {0, 1}}, {buffer::output, ended, 3, {1, 3}}, add);
    return sum == 5115151;
}());

TEST_CASE("block_store: output_store reads the own block from input in step 0 and from output later") {
    const block_layout two(2);
    const detail::output_store store{two, 5};
    CHECK(store.read(3, 0, {3, 1}).where() == buffer::input);
    CHECK(bytes_of(store.read(3, 0, {3, 1})) == std::vector<bytes_t>{0, 1});
    CHECK(store.read(3, 1, {3, 1}).where() == buffer::output);
    CHECK(bytes_of(store.read(3, 1, {4, 2})) == std::vector<bytes_t>{8, 9, 0, 1});
    CHECK(store.scratch(3) == 0);
    CHECK(detail::output_store{two, 1}.steps(0) == 1);
}
