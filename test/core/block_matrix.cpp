#include "collsched/core/block_matrix.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>
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
    CHECK(words(block_matrix(3)) != words(block_matrix(4)));
    CHECK(words(block_matrix(four)) != words(block_matrix(other)));
    CHECK(words(block_matrix(four, places, moved)) != words(block_matrix(four, moved, places)));
    CHECK(words(block_matrix(four)) == words(block_matrix(four)));
    CHECK(block_matrix(four) == block_matrix(four));
    CHECK_FALSE(block_matrix(four) == block_matrix(other));
}
