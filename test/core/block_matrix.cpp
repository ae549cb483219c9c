#include "collsched/core/block_matrix.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "support/layouts.hpp"

using namespace collsched;

static_assert(block_matrix(3).count(1, 2) == 3 && block_matrix(3).send_displ(1, 2) == 6 &&
              block_matrix(3).recv_displ(1, 2) == 3);
static_assert(block_matrix(block_layout::partition(5, 3)).recv_displ(2, 1) == 4);

TEST_CASE("block_matrix: made of equal blocks, and of the blocks of a layout for every rank") {
    const block_matrix equal = 4;
    CHECK(equal.uniform());
    CHECK(equal.packed());
    CHECK(equal.send_extent(0, 5) == 20);
    CHECK(equal.recv_extent(0, 5) == 20);
    CHECK(equal.sent(2, 5) == 20);
    CHECK(equal.received(2, 5) == 20);

    const block_matrix cut = block_layout::partition(7, 3);  // 3, 2, 2
    CHECK_FALSE(cut.uniform());
    CHECK_FALSE(cut.irregular());
    CHECK(cut.send_displ(1, 2) == 5);
    CHECK(cut.recv_displ(2, 0) == 6);
    CHECK(cut.recv_extent(0, 3) == 9);
    CHECK(cut.sent(0, 3) == 7);
    CHECK(cut.received(1, 3) == 6);
}

TEST_CASE("block_matrix: a matrix is packed in rank order on both sides") {
    const block_matrix m(std::vector<int>{1, 0, 2,  //
                                          3, 4, 5,  //
                                          0, 0, 7});
    CHECK(m.irregular());
    CHECK(m.packed());
    CHECK(!m.check(3));
    CHECK(m.count(1, 2) == 5);
    CHECK(m.send_displ(1, 2) == 7);
    CHECK(m.recv_displ(1, 2) == 2);
    CHECK(m.send_extent(1, 3) == 12);
    CHECK(m.recv_extent(2, 3) == 14);
    CHECK(m.sent(0, 3) == 3);
    CHECK(m.received(0, 3) == 4);
}

TEST_CASE("block_matrix: blocks are at their displacements and never overlap") {
    for (rank_t p = 1; p <= 9; ++p)
        for (const auto& [name, m] : support::matrices(p)) {
            CAPTURE(name);
            REQUIRE(!m.check(p));
            for (rank_t r = 0; r < p; ++r) {
                std::vector<bool> sent(static_cast<std::size_t>(m.send_extent(r, p))),
                    output(static_cast<std::size_t>(m.recv_extent(r, p)));
                const auto fill = [](std::vector<bool>& bytes, bytes_t displ, bytes_t count) {
                    for (bytes_t i = displ; i < displ + count; ++i) {
                        const bool taken = bytes.at(static_cast<std::size_t>(i));
                        CHECK_FALSE(taken);
                        bytes[static_cast<std::size_t>(i)] = true;
                    }
                };
                for (rank_t other = 0; other < p; ++other) {
                    fill(sent, m.send_displ(r, other), m.count(r, other));
                    fill(output, m.recv_displ(other, r), m.count(other, r));
                }
            }
        }
}

TEST_CASE("block_matrix: sums, extents and packing equal a count pair by pair") {
    for (rank_t p = 1; p <= 6; ++p) {
        std::vector<support::named_matrix> all = support::matrices(p);
        for (const auto& [name, layout] : support::layouts(p)) all.push_back({name, block_matrix(layout)});
        for (const auto& [name, m] : all) {
            CAPTURE(name);
            for (rank_t r = 0; r < p; ++r) {
                bytes_t sent = 0, received = 0, input = 0, output = 0;
                for (rank_t other = 0; other < p; ++other) {
                    if (m.packed()) CHECK((m.count(r, other) == 0 || m.send_displ(r, other) == sent));
                    if (m.packed()) CHECK((m.count(other, r) == 0 || m.recv_displ(other, r) == received));
                    sent += m.count(r, other), received += m.count(other, r);
                    input = std::max(input, m.send_displ(r, other) + m.count(r, other));
                    output = std::max(output, m.recv_displ(other, r) + m.count(other, r));
                }
                CHECK(m.sent(r, p) == sent);
                CHECK(m.received(r, p) == received);
                CHECK(m.send_extent(r, p) == input);
                CHECK(m.recv_extent(r, p) == output);
            }
            CHECK(m.filled_end(p) == (m.irregular() ? p : m.column().filled_end(p)));
            CHECK(m.ranks() == (m.irregular() ? p : 0));
        }
    }
}

TEST_CASE("block_matrix: packed without gaps, wherever empty blocks are") {
    const std::vector<bytes_t> counts{1, 0, 3, 4}, sends{0, 9, 0, 3}, receives{0, 1, 7, 0}, late_send{0, 9, 0, 4},
        late_receive{0, 2, 7, 0};
    CHECK(block_matrix(counts, sends, receives).packed());
    CHECK_FALSE(block_matrix(counts, late_send, receives).packed());
    CHECK_FALSE(block_matrix(counts, sends, late_receive).packed());
    CHECK_FALSE(block_matrix(block_layout(counts)).packed());
}

// An access beyond a table is no constant expression.
static_assert([] {
    const bytes_t counts[]{1, 2, 3, 4}, sends[]{2, 0, 0, 3}, receives[]{0, 1, 4, 0}, column[]{1, 5};
    const block_matrix m{std::span<const bytes_t>(counts), std::span<const bytes_t>(sends),
                         std::span<const bytes_t>(receives)};
    std::int64_t words = 0;
    m.describe([&](std::int64_t) { ++words; });
    const block_matrix columns = block_layout(std::span<const bytes_t>(column));
    return words == 4 + 1 + 3 * 4 && m.recv_extent(1, 2) == 6 && m.recv_displ(0, 1) == 4 && !columns.check(2) &&
           columns.recv_displ(1, 1) == 5 && !m.packed();
}());

TEST_CASE("block_matrix: sizes of any integer type are accepted") {
    const std::vector<int> counts{1, 2, 3, 4}, sends{2, 0, 0, 3}, receives{0, 1, 0, 2};
    const std::vector<bytes_t> wide{1, 2, 3, 4}, wide_sends{2, 0, 0, 3}, wide_receives{0, 1, 0, 2};
    CHECK(block_matrix(counts) == block_matrix(wide));
    CHECK(!block_matrix(counts, sends, receives).check(2));
    CHECK(block_matrix(counts, sends, receives) == block_matrix(wide, wide_sends, wide_receives));
}

TEST_CASE("block_matrix: errors are reported") {
    const auto error_of = [](const block_matrix& m, rank_t p) {
        const argument_error error = m.check(p);
        REQUIRE(error);
        return std::string(error.text().c_str());
    };
    const std::vector<bytes_t> four{1, 2, 3, 4};
    CHECK(error_of(block_layout::partition(std::numeric_limits<bytes_t>::max(), 2), 2) ==
          "block: got 4611686018427387904, expected ranks * block below 2^63 bytes");
    CHECK(!block_matrix(block_layout::partition(std::numeric_limits<bytes_t>::max() - 1, 2)).check(2));
    CHECK(error_of(block_matrix(four), 3) == "counts: got 4, expected as many counts as pairs of ranks");
    CHECK(error_of(block_matrix(std::vector<bytes_t>{}), 1) == "counts: got 0, expected p * p counts");
    CHECK(error_of(block_matrix(std::vector<bytes_t>{1, 2, 3, 4, 5}), 2) == "counts: got 5, expected p * p counts");
    CHECK(block_matrix(std::vector<bytes_t>{}).ranks() == 0);
    CHECK(block_matrix(std::vector<bytes_t>{1, 2, 3}).ranks() == 0);
    CHECK(block_matrix(four, std::vector<bytes_t>{0}, four).ranks() == 0);
    CHECK(error_of(-1, 2).starts_with("block: got -1,"));
    CHECK(error_of(std::numeric_limits<bytes_t>::max() / 2, 3).starts_with("block: got "));
    CHECK(error_of(block_layout(std::vector<bytes_t>{1, bytes_t{1} << 61, 0, 0}), 4)
              .starts_with("block: got 2305843009213693952,"));
    CHECK(error_of(block_matrix(four), 3).starts_with("counts: got 4,"));
    CHECK(error_of(block_matrix(std::vector<bytes_t>{1, 2, 3}), 2).starts_with("counts: got 3,"));
    CHECK(error_of(block_matrix(std::vector<bytes_t>{}), 1).starts_with("counts: got 0,"));
    CHECK(error_of(block_matrix(std::vector<bytes_t>{1, 2, -3, 4}), 2).starts_with("counts[2]: got -3,"));
    const bytes_t large = bytes_t{1} << 62;
    CHECK(error_of(block_matrix(std::vector<bytes_t>{0, large, large, large}), 2).starts_with("counts[3]: got "));
    const std::vector<bytes_t> five{5}, none{0}, below{-7};
    CHECK(error_of(block_matrix(five, none, below), 1).starts_with("recv_displs[0]: got -7,"));
    CHECK(error_of(block_matrix(five, below, none), 1).starts_with("send_displs[0]: got -7,"));
    CHECK(error_of(block_matrix(five, below, below), 1).starts_with("send_displs[0]: got -7,"));
    CHECK(error_of(block_matrix(four, std::vector<bytes_t>{0}, four), 2).starts_with("send_displs: got 1,"));
    CHECK(error_of(block_matrix(four, four, std::vector<bytes_t>{0}), 2).starts_with("recv_displs: got 1,"));
    CHECK(error_of(block_matrix(four, std::vector<bytes_t>{0, 1, 0, 2}, std::vector<bytes_t>{0, 1, 0, 2}), 2)
              .starts_with("send_displs[3]: got 2,"));
    CHECK(error_of(block_matrix(four, std::vector<bytes_t>{0, 1, 0, 3}, std::vector<bytes_t>{0, 1, 0, 1}), 2)
              .starts_with("recv_displs[3]: got 1,"));
}

TEST_CASE("block_matrix: its parameters distinguish it from others") {
    const auto words = [](const block_matrix& m) {
        std::vector<std::int64_t> all;
        m.describe([&](std::int64_t word) { all.push_back(word); });
        return all;
    };
    const std::vector<bytes_t> four{1, 2, 3, 4}, other{1, 2, 4, 3}, places{0, 1, 0, 3}, moved{0, 1, 0, 5};
    CHECK(words(block_matrix(3)) == std::vector<std::int64_t>{3, 0, 1, 0, 0});
    CHECK(words(block_matrix(four, places, moved)) ==
          std::vector<std::int64_t>{0, 0, 1, 0, 2, 1, 0, 0, 2, 1, 1, 3, 0, 0, 4, 3, 5});
    for (const auto& [sends, receives] : {std::pair{places, moved}, {moved, places}})
        CHECK_FALSE(block_matrix(four, places, places) == block_matrix(four, sends, receives));
    CHECK_FALSE(block_matrix(std::vector<bytes_t>{-1}) == block_matrix(std::vector<bytes_t>{1}));
    CHECK_FALSE(block_matrix(3) == block_matrix(4));
    CHECK(words(block_matrix(3)) != words(block_matrix(4)));
    CHECK(words(block_matrix(four)) != words(block_matrix(other)));
    CHECK(words(block_matrix(four, places, moved)) != words(block_matrix(four, moved, places)));
    CHECK(words(block_matrix(four)) == words(block_matrix(four)));
    CHECK(block_matrix(four) == block_matrix(four));
    CHECK_FALSE(block_matrix(four) == block_matrix(other));
}
