#include "collsched/schedule/parameters.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "collsched/collective/allgather/ring.hpp"
#include "collsched/collective/barrier/dissemination.hpp"
#include "collsched/collective/broadcast/circulant.hpp"
#include "collsched/collective/reduce_scatter/butterfly.hpp"
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
    const argument_error error = check_parameters(a);
    return error ? error.text().c_str() : "";
}

}  // namespace

static_assert(detail::piece_count(0, 0) == 1 && detail::piece_count(0, 8) == 1 && detail::piece_count(100, 0) == 1);
static_assert(detail::piece_count(8, 8) == 1 && detail::piece_count(9, 8) == 2 && detail::piece_count(16, 8) == 2 &&
              detail::piece_count(17, 8) == 3);
static_assert(detail::piece_count(INT64_MAX, 1) == INT64_MAX);

static_assert(detail::piece_count(0, 1) == 1 && detail::piece_count(1, 1) == 1 && detail::piece_count(2, 1) == 2 &&
              detail::piece_count(5, -1) == 1 && detail::piece_count(-3, 2) == 1);

namespace {

struct of_blocks {
    rank_t ranks = 3;
    block_layout block = 8;
    bytes_t element = 4;
    step_t window = 2;
    static constexpr algorithm_info info{.collective = collective::reduce_scatter, .name = "x"};
};

struct of_pairs {
    rank_t ranks = 3;
    block_matrix block = 8;
    rank_t root = 2;
    static constexpr algorithm_info info{.collective = collective::alltoall, .name = "x"};
};

struct of_neighbors {
    rank_t ranks = 3;
    neighborhood neighbors = neighborhood::cartesian(std::vector<int>{3}, std::vector<int>{1});
    slot_layout::gathered block = 8;
    static constexpr algorithm_info info{.collective = collective::neighbor_allgather, .name = "x"};
};

template <class A>
argument_error error_of(auto change) {
    A a;
    change(a);
    return check_parameters(a);
}

}  // namespace

TEST_CASE("parameters: a contract has the blocks of its collective, and a root if it is rooted") {
    CHECK(contract_of(of_blocks{}) ==
          contract{.collective = collective::reduce_scatter, .ranks = 3, .blocks = 8, .element = 4});
    CHECK(contract_of(of_pairs{}) ==
          contract{.collective = collective::alltoall, .ranks = 3, .blocks = block_matrix(8)});
    const of_neighbors n;
    CHECK(contract_of(n) ==
          contract{.collective = collective::neighbor_allgather, .ranks = 3, .blocks = {n.neighbors, n.block}});
}

TEST_CASE("parameters: wrong blocks, neighbors, elements and windows are reported with value and range") {
    const char *const divides = "a size that divides every block and displacement",
                      *const total = "ranks * block below 2^63 bytes";
    const auto same = [](auto&) {};
    CHECK(!error_of<of_blocks>(same));
    CHECK(!error_of<of_pairs>(same));
    CHECK(!error_of<of_neighbors>(same));
    CHECK(error_of<of_blocks>([](auto& a) { a.block = -1; }) == argument_error{"block", -1, "0 bytes or more"});
    CHECK(error_of<of_blocks>([](auto& a) { a.element = 3; }) == argument_error{"element", 3, divides});
    CHECK(error_of<of_blocks>([](auto& a) { a.element = 0; }) == argument_error{"element", 0, "1 byte or more"});
    CHECK(error_of<of_blocks>([](auto& a) { a.window = -1; }) ==
          argument_error{"window", -1, "0 (no pacing) or more steps"});
    CHECK(!error_of<of_blocks>([](auto& a) { a.window = 0; }));
    CHECK(!error_of<of_blocks>([](auto& a) { a.element = 1; }));
    CHECK(!error_of<of_blocks>([](auto& a) { a.block = 0; }));
    CHECK(error_of<of_pairs>([](auto& a) { a.block = INT64_MAX / 2; }) ==
          argument_error{"block", INT64_MAX / 2, total});
    CHECK(error_of<of_pairs>([](auto& a) { a.root = 3; }) == argument_error{"root", 3, "0 to ranks-1"});
    CHECK(!error_of<of_pairs>([](auto& a) { a.root = 0; }));
    CHECK(error_of<of_neighbors>([](auto& a) { a.ranks = 4; }) ==
          argument_error{"neighbors", 3, "lists for as many ranks as there are"});
    CHECK(error_of<of_neighbors>([](auto& a) { a.block = -3; }) == argument_error{"block", -3, "0 bytes or more"});
    CHECK(complaint([](auto& a) { a.bytes = 0; }) == "");
    CHECK(complaint([](auto& a) { a.root = 0; }) == "");
    CHECK(complaint([](auto& a) { a.segment = 0; }) == "");
    CHECK(complaint([](auto& a) { a.bytes = -1; }) == "bytes: got -1, expected 0 bytes or more");
    CHECK(complaint([](auto& a) { a.segment = -1; }) == "segment: got -1, expected 0 (no segments) or more bytes");
    CHECK(complaint([](auto& a) { a.ranks = 1, a.root = 0; }) == "");
}

TEST_CASE("parameters: each wrong number of a contract is reported with value and range") {
    const contract good{.collective = collective::reduce, .ranks = 2, .root = 1, .bytes = 8, .element = 4};
    const auto error_with = [&](auto change) {
        contract c = good;
        change(c);
        return check_contract(c);
    };
    CHECK(!check_contract(good));
    CHECK(!error_with([](contract& c) { c.root = 0, c.bytes = 0, c.element = 1; }));
    CHECK(error_with([](contract& c) { c.ranks = 0; }) == argument_error{"ranks", 0, "1 or more"});
    CHECK(error_with([](contract& c) { c.ranks = rank_t{1} << 62; }) ==
          argument_error{"ranks", rank_t{1} << 62, "less than 2^62"});
    CHECK(error_with([](contract& c) { c.root = -1; }) == argument_error{"root", -1, "0 to ranks-1"});
    CHECK(error_with([](contract& c) { c.root = 2; }) == argument_error{"root", 2, "0 to ranks-1"});
    CHECK(error_with([](contract& c) { c.bytes = -1; }) == argument_error{"bytes", -1, "0 bytes or more"});
    CHECK(error_with([](contract& c) { c.element = 0; }) == argument_error{"element", 0, "1 byte or more"});
    CHECK(error_with([](contract& c) { c.blocks = block_matrix(-1); }) ==
          argument_error{"block", -1, "0 bytes or more"});
    CHECK(error_with([](contract& c) { c.blocks = -2; }) == argument_error{"block", -2, "0 bytes or more"});
    CHECK(error_with([](contract& c) { c.collective = static_cast<collective>(13); }) ==
          argument_error{"collective", 13, "a collective"});
    CHECK(!error_with([](contract& c) { c.collective = collective::barrier; }));
    const auto with_slots = [&](collective kind, const slot_layout& slots) {
        return error_with([&](contract& c) { c.collective = kind, c.blocks = {neighborhood(), slots}; });
    };
    CHECK(with_slots(collective::neighbor_allgather, slot_layout::exchanged(1)) ==
          argument_error{"collective", 11, "the collective of the slots"});
    CHECK(with_slots(collective::neighbor_alltoall, slot_layout::exchanged(-1)) ==
          argument_error{"block", -1, "0 bytes or more"});
}

TEST_CASE("check_elements: a wrong block between right ones is reported") {
    const std::vector<bytes_t> middle{2, 3, 2, 2}, right{2, 2, 2, 2}, apart{0, 3, 6, 8};
    CHECK(detail::check_elements(block_layout(middle), 4, 2) ==
          argument_error{"element", 2, "a size that divides every block and displacement"});
    CHECK(detail::check_elements(block_layout(right, apart), 4, 2));
    CHECK(!detail::check_elements(block_layout(right), 4, 2));
    CHECK(detail::check_elements(block_layout(6), 5, 0) == argument_error{"element", 0, "1 byte or more"});
    CHECK(!detail::check_elements(block_layout::partition(8, 3, 2), 3, 2));
    CHECK(!detail::check_elements(block_layout(6), 1, 3));
    CHECK(detail::check_elements(block_layout(std::vector<bytes_t>{3}), 1, 2));
}

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
    CHECK(!check_ranks(1));
    CHECK(!check_ranks((rank_t{1} << 62) - 1));
    CHECK(check_ranks(INT64_MAX) == argument_error{"ranks", INT64_MAX, "less than 2^62"});
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
        const argument_error error = check_contract({.collective = what, .ranks = ranks, .blocks = {ring, slots}});
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
    CHECK(std::string(check_parameters(picky{}).expected) == "not this one");
    picky bad;
    bad.ranks = -1;
    CHECK(std::string(check_parameters(bad).argument) == "ranks");
}

TEST_CASE("contract_parameters: ranks, root, blocks or bytes, and element, as far as an algorithm has them") {
    const auto names = [](const auto& a) {
        std::string all;
        const auto add = [&](const char* name, const auto&) { all += name, all += ' '; };
        detail::contract_parameters(a, add);
        return all;
    };
    CHECK(names(allgather::ring{}) == "ranks block ");
    CHECK(names(barrier::recursive_doubling{}) == "ranks ");
    CHECK(names(broadcast::circulant{}) == "ranks root bytes element ");
    CHECK(names(reduce_scatter::butterfly{}) == "ranks block element ");
}
