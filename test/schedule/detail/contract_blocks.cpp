#include "collsched/schedule/detail/contract_blocks.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "collsched/schedule/contract.hpp"

using namespace collsched;
using detail::contract_blocks;

// One form is stored in the place of the largest, so a contract is smaller than two of its forms.
static_assert(sizeof(contract_blocks) <= sizeof(block_matrix) + sizeof(void*));
static_assert(sizeof(contract) < sizeof(block_layout) + sizeof(block_matrix));

TEST_CASE("contract_blocks: each form is read back, and the other forms are empty") {
    constexpr contract_blocks none{}, layout{5}, matrix{block_matrix(6)};
    static_assert(none.layout() == block_layout(0) && none.matrix() == block_matrix(0));
    static_assert(layout.layout() == block_layout(5) && layout.matrix() == block_matrix(0));
    static_assert(matrix.matrix() == block_matrix(6) && matrix.layout() == block_layout(0));
    const std::vector<int> ring{4}, closed{1};
    const neighborhood n = neighborhood::cartesian(ring, closed);
    const contract_blocks slots{n, slot_layout::exchanged(7)};
    CHECK((slots.neighbors() == n && slots.slots() == slot_layout::exchanged(7)));
    CHECK((slots.layout() == block_layout(0) && slots.matrix() == block_matrix(0)));
    for (const contract_blocks& other : {none, layout, matrix})
        CHECK((other.neighbors() == neighborhood() && other.slots() == slot_layout()));
}

TEST_CASE("contract_blocks: equal if the form and its blocks are equal") {
    const contract_blocks layout{5}, matrix{block_matrix(5)};
    CHECK(layout == contract_blocks(block_layout(5)));
    CHECK(layout != contract_blocks(6));
    CHECK(layout != matrix);
    CHECK(contract_blocks() == contract_blocks());
    CHECK(contract_blocks() != layout);
    CHECK(contract_blocks({}, slot_layout::exchanged(1)) != contract_blocks({}, slot_layout::exchanged(2)));
}

TEST_CASE("contract_blocks: an assignment replaces the form, also during constant evaluation") {
    constexpr auto replaced = [] {
        contract_blocks blocks{5};
        blocks = block_matrix(6);
        return blocks;
    };
    static_assert(replaced() == contract_blocks(block_matrix(6)));
}
