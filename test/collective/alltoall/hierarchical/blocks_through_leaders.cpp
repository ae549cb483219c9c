#include "collsched/collective/alltoall/hierarchical.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "support/layouts.hpp"
#include "support/placements.hpp"

using namespace collsched;

namespace {

/// The places of the bytes of a region, in its order.
std::vector<bytes_t> bytes_of(const region& r, bytes_t size) {
    std::vector<bytes_t> all;
    for (bytes_t i = 0; i < size; ++i) all.push_back(r.at(i).start.offset);
    return all;
}

/// Byte k of the block from i to j.
struct sent_byte {
    rank_t from, to;
    bytes_t at;
    bool operator==(const sent_byte&) const = default;
};

/// The bytes that rank r sends, ordered by group of targets. A leader holds the rows of its ranks one after another.
std::vector<sent_byte> expected_row(const block_matrix& matrix, const rank_groups& groups, rank_t r) {
    std::vector<sent_byte> all;
    for (rank_t g = 0; g < groups.groups(); ++g)
        for (rank_t i = 0; i < groups.size(g); ++i)
            for (bytes_t k = 0; k < matrix.count(r, groups.member(g, i)); ++k)
                all.push_back({r, groups.member(g, i), k});
    return all;
}
std::vector<sent_byte> expected_column(const block_matrix& matrix, const rank_groups& groups, rank_t r) {
    std::vector<sent_byte> all;
    for (rank_t g = 0; g < groups.groups(); ++g)
        for (rank_t i = 0; i < groups.size(g); ++i)
            for (bytes_t k = 0; k < matrix.count(groups.member(g, i), r); ++k)
                all.push_back({groups.member(g, i), r, k});
    return all;
}

void check_group(const block_matrix& matrix, const rank_groups& groups, rank_t g) {
    const alltoall::detail::blocks_through_leaders blocks(matrix, groups);
    std::vector<sent_byte> sent, received;
    for (rank_t i = 0; i < groups.size(g); ++i) {
        const rank_t r = groups.member(g, i);
        const std::vector<sent_byte> row = expected_row(matrix, groups, r), column = expected_column(matrix, groups, r);
        sent.insert(sent.end(), row.begin(), row.end());
        received.insert(received.end(), column.begin(), column.end());
        REQUIRE(blocks.rows(g).count(i) == std::ssize(row));
        REQUIRE(blocks.columns(g).count(i) == std::ssize(column));
        const std::vector<bytes_t> out = bytes_of(blocks.row(r), std::ssize(row));
        for (std::size_t k = 0; k < row.size(); ++k) CHECK(out[k] == matrix.send_displ(r, row[k].to) + row[k].at);
        const std::vector<bytes_t> in = bytes_of(blocks.column(r), std::ssize(column));
        for (std::size_t k = 0; k < column.size(); ++k)
            CHECK(in[k] == matrix.recv_displ(column[k].from, r) + column[k].at);
    }
    CHECK(blocks.sent(g) == std::ssize(sent));
    CHECK(blocks.received(g) == std::ssize(received));
    // Leaders exchange bytes with one group after the other, and both ends of a pair of groups agree.
    const std::vector<bytes_t> out = bytes_of(blocks.by_target(g, {buffer::scratch, 0}), std::ssize(sent));
    const std::vector<bytes_t> in = bytes_of(blocks.by_source(g, {buffer::scratch, 0}), std::ssize(received));
    std::size_t next_out = 0, next_in = 0;
    for (rank_t other = 0; other < groups.groups(); ++other) {
        std::vector<sent_byte> there, here;
        for (rank_t i = 0; i < groups.size(g); ++i)
            for (const sent_byte& byte : expected_row(matrix, groups, groups.member(g, i)))
                if (groups.group(byte.to) == other) there.push_back(byte);
        for (const sent_byte& byte : there) CHECK(sent[static_cast<std::size_t>(out[next_out++])] == byte);
        CHECK(blocks.group_matrix().count(g, other) == std::ssize(there));
        for (rank_t i = 0; i < groups.size(other); ++i)
            for (const sent_byte& byte : expected_row(matrix, groups, groups.member(other, i)))
                if (groups.group(byte.to) == g) here.push_back(byte);
        for (const sent_byte& byte : here) CHECK(received[static_cast<std::size_t>(in[next_in++])] == byte);
        CHECK(blocks.group_matrix().count(other, g) == std::ssize(here));
    }
    CHECK(next_out == sent.size());
    CHECK(next_in == received.size());
}

}  // namespace

TEST_CASE("blocks_through_leaders: rows, columns and messages between leaders place every byte alike") {
    for (rank_t p = 1; p <= 9; ++p)
        for (const auto& [name, where] : support::placements(p)) {
            if (where.ranks() == 0) continue;
            const rank_groups groups = rank_groups::by_label(p, where.nodes(), [&](rank_t r) { return where.node(r); });
            for (const auto& [sizes, matrix] : support::matrices(p, 1)) {
                if (sizes == "hot receiver" && p > 3) continue;
                INFO(name, " ", sizes, " p=", p);
                for (rank_t g = 0; g < groups.groups(); ++g) check_group(matrix, groups, g);
            }
        }
}

TEST_CASE("blocks_through_leaders: usable during constant evaluation") {
    static_assert([] {
        const rank_groups groups = rank_groups::by_label(4, 2, [](rank_t r) { return r % 2; });
        const alltoall::detail::blocks_through_leaders blocks(3, groups);
        // Rank 2 sends to 0, 2, 1, 3: the byte for 1 is at 3.
        return blocks.sent(0) == 24 && blocks.group_matrix().count(0, 1) == 12 && blocks.row(2).at(6).start.offset == 3;
    }());
}
