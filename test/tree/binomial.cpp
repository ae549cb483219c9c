#include "collsched/tree/binomial.hpp"

#include <doctest/doctest.h>

#include "support/trees.hpp"

using namespace collsched;

static_assert(contiguous_tree<trees::binomial>);
static_assert(support::lawful_up_to(trees::binomial{}, 17));

TEST_CASE("trees::binomial: the laws hold, subtrees are contiguous") {
    CHECK(support::first_fault(trees::binomial{}) == "");
    CHECK(support::first_wrong_extent(trees::binomial{}) == "");
}

TEST_CASE("trees::binomial: distances halve from step to step") {
    CHECK(support::drawn(trees::binomial{}, 1) == "");
    CHECK(support::drawn(trees::binomial{}, 10) == "0>8; 0>4; 0>2 4>6; 0>1 2>3 4>5 6>7 8>9");
    CHECK(support::first_difference(trees::binomial{}, 300, [](rank_t p) {
              support::expected_tree tree(p);
              for (rank_t distance = rank_t{1} << 20, k = ceil_log2(p) - 21; distance >= 1; distance /= 2, ++k)
                  for (rank_t v = 0; v + distance < p; v += 2 * distance) tree.add(v, v + distance, k);
              return tree;
          }) == "");
}

TEST_CASE("trees::binomial: the largest number of ranks") {
    const trees::binomial t;
    const rank_t p = INT64_MAX;
    CHECK(t.steps(p) == 63);
    CHECK(t.child(p, 0, 0) == rank_t{1} << 62);
    CHECK(t.parent(p, p - 1) == p - 3);
    CHECK(t.extent(p, rank_t{1} << 62) == (rank_t{1} << 62) - 1);
}

TEST_CASE("trees::binomial: reports whether its reverse keeps the order of operands") {
    CHECK(support::reports_operand_order(trees::binomial{}));
}
