#include "collsched/tree/k_nomial.hpp"

#include <doctest/doctest.h>

#include "collsched/tree/binomial.hpp"
#include "support/brief.hpp"
#include "support/trees.hpp"

using namespace collsched;

static_assert(contiguous_tree<trees::k_nomial>);
static_assert(support::lawful_up_to(trees::k_nomial{}, 17) && support::lawful_up_to(trees::k_nomial{.radix = 2}, 17));

TEST_CASE("trees::k_nomial: the laws hold for every radix, subtrees are contiguous") {
    for (const rank_t radix : {2, 3, 4, 5, 8, 17, 99, 1000}) {
        CAPTURE(radix);
        CHECK(support::first_fault(trees::k_nomial{.radix = radix}, radix < 10 ? 300 : 120) == "");
        CHECK(support::first_wrong_extent(trees::k_nomial{.radix = radix}) == "");
    }
    CHECK(support::first_fault(trees::k_nomial{.radix = INT64_MAX}, 120) == "");
}

TEST_CASE("trees::k_nomial: the largest digit is sent first") {
    CHECK(support::drawn(trees::k_nomial{.radix = 3}, 9) == "0>3; 0>6 3>4; 0>1 3>5 6>7; 0>2 6>8");
    CHECK(support::drawn(trees::k_nomial{}, 6) == "0>4; 0>1 4>5; 0>2; 0>3");
    for (const rank_t radix : {2, 3, 4, 7, 50})
        CHECK(support::first_difference(trees::k_nomial{.radix = radix}, 200, [radix](rank_t p) {
                  return support::simulated(p, [p, radix](rank_t v) {
                      std::vector<rank_t> to;
                      for (rank_t weight = radix * radix * radix * radix * radix * radix * radix * radix; weight > 0;
                           weight /= radix)
                          for (rank_t j = 1; j < radix && v % (weight * radix) == 0; ++j)
                              if (v + j * weight < p) to.push_back(v + j * weight);
                      return to;
                  });
              }) == "");
}

TEST_CASE("trees::k_nomial: radix 2 is the binomial tree, but for steps that it leaves empty") {
    for (rank_t p = 1; p <= support::most(300); ++p)
        for (rank_t v = 1; v < p; ++v) {
            CHECK(trees::k_nomial{.radix = 2}.parent(p, v) == trees::binomial{}.parent(p, v));
            CHECK(trees::k_nomial{.radix = 2}.step(p, v) <= trees::binomial{}.step(p, v));
            if (is_power_of_two(p)) CHECK(trees::k_nomial{.radix = 2}.step(p, v) == trees::binomial{}.step(p, v));
        }
}

TEST_CASE("trees::k_nomial: a radix below 2 is reported") {
    CHECK(support::complaint(trees::k_nomial{.radix = 0}.check(5)) == "radix: got 0, expected 2 or more");
    CHECK(!trees::k_nomial{.radix = 2}.check(5));
}

TEST_CASE("trees::k_nomial: reports whether its reverse keeps the order of operands") {
    CHECK(support::reports_operand_order(trees::k_nomial{}));
}

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
