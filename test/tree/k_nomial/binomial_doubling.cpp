#include "collsched/tree/k_nomial.hpp"

#include <doctest/doctest.h>

#include "support/trees.hpp"

using namespace collsched;

static_assert(rooted_tree<trees::binomial_doubling> && !contiguous_tree<trees::binomial_doubling>);
static_assert(support::lawful_up_to(trees::binomial_doubling{}, 17));

TEST_CASE("trees::binomial_doubling: the laws hold") { CHECK(support::first_fault(trees::binomial_doubling{}) == ""); }

TEST_CASE("trees::binomial_doubling: distances double from step to step") {
    CHECK(support::drawn(trees::binomial_doubling{}, 1) == "");
    CHECK(support::drawn(trees::binomial_doubling{}, 10) == "0>1; 0>2 1>3; 0>4 1>5 2>6 3>7; 0>8 1>9");
    CHECK(support::first_difference(trees::binomial_doubling{}, 300, [](rank_t p) {
              support::expected_tree tree(p);
              for (rank_t distance = 1, k = 0; distance < p; distance *= 2, ++k)
                  for (rank_t v = 0; v < distance && v + distance < p; ++v) tree.add(v, v + distance, k);
              return tree;
          }) == "");
}

TEST_CASE("trees::binomial_doubling: reports whether its reverse keeps the order of operands") {
    CHECK(support::reports_operand_order(trees::binomial_doubling{}));
}
