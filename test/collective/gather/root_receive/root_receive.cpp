#include "collsched/collective/gather/root_receive.hpp"

#include <doctest/doctest.h>

#include "collsched/collective/gather/linear.hpp"
#include "collsched/tree/binomial.hpp"

using namespace collsched;

TEST_CASE(
    "gather::root_receive: one step more after the last message, but for a leaf's and for one received in place") {
    const block_layout blocks(4);
    const auto extra = [&](rank_t p, gather::root_receive how, rank_t root = 0) {
        const gather::detail::tree_store<trees::binomial> store{blocks, p, root, {}, how};
        return store.steps(ceil_log2(p)) - ceil_log2(p);
    };
    CHECK(extra(8, gather::root_receive::instant) == 1);
    CHECK(extra(9, gather::root_receive::instant) == 0);
    CHECK(extra(10, gather::root_receive::instant) == 1);
    CHECK(extra(8, gather::root_receive::chained) == 0);     // one continuous chain
    CHECK(extra(4, gather::root_receive::chained, 1) == 1);  // blocks 3 and 0, at both ends of the buffer
    CHECK(extra(8, gather::root_receive::chained, 1) == 0);  // blocks 5 to 7, then 0
    CHECK(extra(8, gather::root_receive::direct) == 0);
    CHECK(extra(1, gather::root_receive::direct) == 1);
}

TEST_CASE("gather::root_receive: which ranks copy in which step") {
    const block_layout blocks(4);
    const gather::detail::tree_store<trees::binomial> store{blocks, 8, 3, {}, gather::root_receive::instant};
    CHECK(store.copy_steps(3, 3) == step_range{0, 3});
    CHECK(store.copy_steps(5, 3) == step_range{0, 0});  // relative 2: inner
    CHECK(store.copy_steps(4, 3) == step_range{});      // relative 1: leaf
    const gather::detail::at_displacements simple{blocks, 8, 3};
    CHECK(simple.copy_steps(3, 7) == step_range{0, 0});
    CHECK(simple.copy_steps(2, 7) == step_range{});
    CHECK(simple.scratch(3) == 0);
}
