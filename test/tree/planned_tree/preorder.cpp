#include "collsched/tree/planned_tree.hpp"

#include <doctest/doctest.h>

#include "collsched/tree/k_nomial.hpp"
#include "collsched/tree/k_ary.hpp"
#include "support/brief.hpp"

using namespace collsched;

static_assert(contiguous_tree<trees::preorder>);

namespace {

template <class Tree>
void check_positions(const Tree& tree, rank_t p) {
    const trees::preorder order{planned(tree, p), p / 3};
    CHECK(order.steps(p) == tree.steps(p));
    for (rank_t i = 0; i < p; ++i) {
        CHECK(order.virtual_rank(order.rank(i)) == i);
        // Children follow each other, in the order of sends, after their parent.
        rank_t next = i + 1;
        for (step_t k = 0; k < order.steps(p); ++k) {
            const rank_t child = order.child(p, i, k);
            if (child < 0) continue;
            CHECK(child == next);
            CHECK(order.parent(p, child) == i);
            CHECK(order.step(p, child) == k);
            next += order.extent(p, child);
        }
        CHECK(next == i + order.extent(p, i));
    }
    CHECK(order.rank(0) == p / 3);
}

}  // namespace

TEST_CASE("preorder: in preorder positions every tree has contiguous subtrees") {
    for (rank_t p = 1; p <= support::most(70); ++p) {
        check_positions(trees::k_ary{.radix = 3}, p);
        check_positions(trees::binomial_doubling{}, p);
        check_positions(trees::double_binary{.second = true}, p);
    }
}
