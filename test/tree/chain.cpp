#include "collsched/tree/chain.hpp"

#include <doctest/doctest.h>

#include "support/trees.hpp"

using namespace collsched;

static_assert(contiguous_tree<trees::chain>);
static_assert(support::lawful_up_to(trees::chain{}, 17));

TEST_CASE("trees::chain: the laws hold, subtrees are contiguous") {
    CHECK(support::first_fault(trees::chain{}) == "");
    CHECK(support::first_wrong_extent(trees::chain{}) == "");
}

TEST_CASE("trees::chain: every rank sends to the next") {
    CHECK(support::drawn(trees::chain{}, 4) == "0>1; 1>2; 2>3");
    CHECK(support::first_difference(trees::chain{}, 100, [](rank_t p) {
              return support::simulated(
                  p, [p](rank_t v) { return v + 1 < p ? std::vector<rank_t>{v + 1} : std::vector<rank_t>{}; });
          }) == "");
}

TEST_CASE("trees::chain: reports whether its reverse keeps the order of operands") {
    CHECK(support::reports_operand_order(trees::chain{}));
}

static_assert(contiguous_tree<trees::flat>);
static_assert(support::lawful_up_to(trees::flat{}, 17));

TEST_CASE("trees::flat: the laws hold, subtrees are contiguous") {
    CHECK(support::first_fault(trees::flat{}) == "");
    CHECK(support::first_wrong_extent(trees::flat{}) == "");
}

TEST_CASE("trees::flat: the root sends to all others in ascending order") {
    CHECK(support::drawn(trees::flat{}, 1) == "");
    CHECK(support::drawn(trees::flat{}, 4) == "0>1; 0>2; 0>3");
    CHECK(support::first_difference(trees::flat{}, 100, [](rank_t p) {
              return support::simulated(p, [p](rank_t v) {
                  std::vector<rank_t> to;
                  for (rank_t w = 1; v == 0 && w < p; ++w) to.push_back(w);
                  return to;
              });
          }) == "");
}

TEST_CASE("trees::flat: reports whether its reverse keeps the order of operands") {
    CHECK(support::reports_operand_order(trees::flat{}));
}
