#include "collsched/tree/k_ary.hpp"

#include <doctest/doctest.h>

#include "support/trees.hpp"

using namespace collsched;

static_assert(rooted_tree<trees::k_ary> && !contiguous_tree<trees::k_ary>);
static_assert(support::lawful_up_to(trees::k_ary{}, 17) && support::lawful_up_to(trees::k_ary{.radix = 3}, 17));

TEST_CASE("trees::k_ary: the laws hold for every radix") {
    for (const rank_t radix : {2, 3, 4, 5, 7, 16, 100, 299, 1000}) {
        CAPTURE(radix);
        CHECK(support::first_fault(trees::k_ary{.radix = radix}) == "");
    }
    CHECK(support::first_fault(trees::k_ary{.radix = INT64_MAX}) == "");
}

TEST_CASE("trees::k_ary: the order is that of a heap, one send per step") {
    CHECK(support::drawn(trees::k_ary{}, 8) == "0>1; 0>2 1>3; 1>4 2>5 3>7; 2>6");
    CHECK(support::drawn(trees::k_ary{.radix = 3}, 7) == "0>1; 0>2 1>4; 0>3 1>5; 1>6");
    for (const rank_t radix : {2, 3, 4, 7, 50})
        CHECK(support::first_difference(trees::k_ary{.radix = radix}, 100, [radix](rank_t p) {
                  return support::simulated(p, [p, radix](rank_t v) {
                      std::vector<rank_t> to;
                      for (rank_t w = 1; w < p; ++w)
                          if ((w - 1) / radix == v) to.push_back(w);
                      return to;
                  });
              }) == "");
}

TEST_CASE("trees::k_ary: a radix below 2 is reported") {
    CHECK(support::complaint(trees::k_ary{.radix = 1}.check(5)) == "radix: got 1, expected 2 or more");
    CHECK(!trees::k_ary{.radix = 2}.check(5));
}

TEST_CASE("trees::k_ary: reports whether its reverse keeps the order of operands") {
    CHECK(support::reports_operand_order(trees::k_ary{}));
}
