#include "collsched/schedule/parameters.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "collsched/schedule/concepts.hpp"

using namespace collsched;

namespace {

/// Everything that algorithms share.
struct all_of_them {
    rank_t ranks = 4;
    rank_t root = 1;
    bytes_t bytes = 12;
    bytes_t element = 4;
    bytes_t segment = 8;
    static constexpr algorithm_info info{.collective = collective::reduce, .name = "x", .commutative = true};
};

struct picky : all_of_them {
    constexpr argument_error check() const { return {"root", root, "not this one"}; }
};

std::string complaint(auto change) {
    all_of_them a;
    change(a);
    const argument_error error = detail::check_parameters(a);
    return error ? error.text().c_str() : "";
}

}  // namespace

static_assert(detail::piece_count(0, 0) == 1 && detail::piece_count(0, 8) == 1 && detail::piece_count(100, 0) == 1);
static_assert(detail::piece_count(8, 8) == 1 && detail::piece_count(9, 8) == 2 && detail::piece_count(16, 8) == 2 &&
              detail::piece_count(17, 8) == 3);
static_assert(detail::piece_count(INT64_MAX, 1) == INT64_MAX);

TEST_CASE("parameters: the contract takes its values from the parameters") {
    const contract c = contract_of(all_of_them{});
    CHECK(c.collective == collective::reduce);
    CHECK(c.ranks == 4);
    CHECK(c.root == 1);
    CHECK(c.bytes == 12);
    CHECK(c.element == 4);
    CHECK(c.commutative);
}

TEST_CASE("parameters: each wrong parameter is named with its value") {
    CHECK(complaint([](auto&) {}) == "");
    CHECK(complaint([](auto& a) { a.ranks = 0; }) == "ranks: got 0, expected 1 or more");
    CHECK(complaint([](auto& a) { a.root = 4; }) == "root: got 4, expected 0 to ranks-1");
    CHECK(complaint([](auto& a) { a.root = -1; }) == "root: got -1, expected 0 to ranks-1");
    CHECK(complaint([](auto& a) { a.bytes = -4; }) == "bytes: got -4, expected 0 bytes or more");
    CHECK(complaint([](auto& a) { a.element = 0; }) == "element: got 0, expected 1 byte or more");
    CHECK(complaint([](auto& a) { a.element = 5; }) == "element: got 5, expected a size that divides bytes");
    CHECK(complaint([](auto& a) { a.segment = -8; }) == "segment: got -8, expected 0 (no segments) or more bytes");
    CHECK(complaint([](auto& a) { a.segment = 6; }) == "segment: got 6, expected a multiple of element");
    CHECK(complaint([](auto& a) { a.element = 1; }) == "");
}

TEST_CASE("check_ranks: the largest number of ranks is 2^62 - 1") {
    CHECK(!check_ranks((rank_t{1} << 62) - 1));
    CHECK(check_ranks(rank_t{1} << 62));
}

TEST_CASE("check_elements: every block size and displacement is a multiple of the element size") {
    CHECK(!detail::check_elements(block_layout(6), 5, 3));
    CHECK(detail::check_elements(block_layout(7), 5, 3));
    CHECK(detail::check_elements(block_layout(7), 1, 3));
    CHECK(detail::check_elements(block_layout(6), 5, 0));
    CHECK(!detail::check_elements(block_layout(6), 5, 1));
    CHECK(detail::check_elements(block_layout::partition(5, 2), 2, 3));  // the last block: 2 bytes
    CHECK(detail::check_elements(block_layout::partition(5, 2), 2, 2));  // the first block: 3 bytes
    const std::vector<bytes_t> twos{2, 2}, ends{2, 3}, places{0, 2}, odd{0, 3};
    CHECK(!detail::check_elements(block_layout(twos, places), 2, 2));
    CHECK(detail::check_elements(block_layout(ends, places), 2, 2));  // a size
    CHECK(detail::check_elements(block_layout(twos, odd), 2, 2));     // a place
}

TEST_CASE("parameters: a contract of neighbors is checked with its neighbors and its slots") {
    const neighborhood ring = neighborhood::cartesian(std::vector<int>{3}, std::vector<int>{1});
    const auto complaint_of = [&](collective what, rank_t ranks, const slot_layout& slots) {
        const argument_error error =
            check_contract({.collective = what, .ranks = ranks, .neighbors = ring, .slots = slots});
        return std::string(error ? error.argument : "");
    };
    using enum collective;
    CHECK(complaint_of(neighbor_allgather, 3, slot_layout::gathered(1)) == "");
    CHECK(complaint_of(neighbor_alltoall, 3, slot_layout::exchanged(1)) == "");
    CHECK(complaint_of(neighbor_allgather, 3, slot_layout::exchanged(1)) == "collective");
    CHECK(complaint_of(neighbor_alltoall, 3, slot_layout::gathered(1)) == "collective");
    CHECK(complaint_of(neighbor_alltoall, 4, slot_layout::exchanged(1)) == "neighbors");
    CHECK(complaint_of(neighbor_alltoall, 3, slot_layout::exchanged(-1)) == "block");
    CHECK(complaint_of(static_cast<collective>(static_cast<int>(neighbor_alltoall) + 1), 3, {}) == "collective");
}

TEST_CASE("parameters: the algorithm's own check comes last") {
    CHECK(std::string(detail::check_parameters(picky{}).expected) == "not this one");
    picky bad;
    bad.ranks = -1;
    CHECK(std::string(detail::check_parameters(bad).argument) == "ranks");
}
