#include "collsched/tree/chain.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/trees.hpp"

using namespace collsched;

static_assert(contiguous_tree<trees::chain>);
static_assert(support::lawful_up_to(trees::chain{}, 17));
static_assert(support::lawful_up_to(trees::chain{3}, 17));

TEST_CASE("trees::chain: the laws hold, subtrees are contiguous") {
    for (const rank_t chains : {1, 2, 3, 4, 7, 1000}) {
        CAPTURE(chains);
        CHECK(support::first_fault(trees::chain{chains}) == "");
        CHECK(support::first_wrong_extent(trees::chain{chains}) == "");
    }
}

TEST_CASE("trees::chain: the root sends to the first rank of every run, others to the next rank") {
    CHECK(support::drawn(trees::chain{}, 4) == "0>1; 1>2; 2>3");
    CHECK(support::drawn(trees::chain{2}, 6) == "0>3; 0>1 3>4; 1>2 4>5");
    for (rank_t chains = 1; chains <= 9; ++chains) {
        CAPTURE(chains);
        CHECK(support::first_difference(trees::chain{chains}, 100, [chains](rank_t p) {
                  std::vector<rank_t> heads;  // of the runs, the last one first
                  for (rank_t end = p, runs = std::min(chains, p - 1); runs > 0; --runs) {
                      end -= (end - 1 + runs - 1) / runs;  // the last of the runs is one of the longest
                      heads.push_back(end);
                  }
                  return support::simulated(p, [p, heads](rank_t v) {
                      if (v == 0) return heads;
                      const bool ends = v + 1 == p || std::ranges::find(heads, v + 1) != heads.end();
                      return ends ? std::vector<rank_t>{} : std::vector<rank_t>{v + 1};
                  });
              }) == "");
    }
}

TEST_CASE("trees::chain: steps equal their formula, and chains beyond p-1 change nothing") {
    for (rank_t p = 2; p <= 60; ++p) {
        for (rank_t chains = 1; chains < p; ++chains)
            CHECK(trees::chain{chains}.steps(p) == (p - 1) / chains + chains - 1);
        CHECK(support::drawn(trees::chain{p + 5}, p) == support::drawn(trees::chain{p - 1}, p));
    }
    CHECK(!trees::chain{}.check(5));
    CHECK(trees::chain{0}.check(5).expected == std::string("1 or more"));
    CHECK(std::string(trees::chain{0}.check(5).argument) == "radix");
}

TEST_CASE("trees::chain: reports whether its reverse keeps the order of operands") {
    CHECK(support::reports_operand_order(trees::chain{}));
    CHECK(support::reports_operand_order(trees::chain{3}));
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
