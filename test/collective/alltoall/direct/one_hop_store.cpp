#include "collsched/collective/alltoall/direct.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace collsched;

TEST_CASE("one_hop_store: a block goes from its place in the input to its place in the output") {
    const block_matrix blocks(std::vector<bytes_t>{1, 2, 0, 4});
    const alltoall::detail::one_hop_store store{blocks, 2};
    std::vector<edge> edges;
    const auto keep = [&](const edge& e) { edges.push_back(e); };
    store.transfers({.step = 3, .src = 0, .dst = 1}, {1, 1}, keep);
    store.transfers({.step = 3, .src = 1, .dst = 0}, {0, 1}, keep);  // empty
    REQUIRE(edges.size() == 1);
    CHECK(edges[0] == edge{.step = 3, .src = 0, .dst = 1, .from_offset = 1, .into_offset = 0, .size = 2});
}

TEST_CASE("one_hop_store: the own block is copied in step 0, unless the algorithm sends to itself") {
    int copies = 0;
    const auto count = [&](const detail::run_cursor& from, const detail::run_cursor& into) {
        CHECK(from.piece() == byte_range{5, 5});
        CHECK(into.piece() == byte_range{5, 5});
        ++copies;
    };
    const alltoall::detail::one_hop_store first{5, 3}, never{5, 3, false};
    first.copies(1, 0, 2, count);
    first.copies(1, 1, 2, count);
    never.copies(1, 0, 2, count);
    CHECK(copies == 1);
    CHECK(first.copy_steps(1, 2) == step_range{0, 0});
    CHECK(never.copy_steps(1, 2).empty());
    CHECK(first.steps(2) == 2);
    CHECK(alltoall::detail::one_hop_store{5, 1}.steps(0) == 1);
}
