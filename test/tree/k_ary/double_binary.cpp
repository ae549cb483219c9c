#include "collsched/tree/k_ary.hpp"

#include <doctest/doctest.h>

#include "support/brief.hpp"
#include "support/trees.hpp"

using namespace collsched;

namespace {

constexpr trees::double_binary first{}, second{.second = true};

static_assert(rooted_tree<trees::double_binary> && !contiguous_tree<trees::double_binary>);
static_assert(support::lawful_up_to(first, 17) && support::lawful_up_to(second, 17));

/// The in-order tree over the places lo .. hi (none if lo > hi) by its definition: the root is the place with the most zeros
/// at its end.
rank_t add_children(std::vector<std::vector<rank_t>>& children, rank_t lo, rank_t hi) {
    if (lo > hi) return 0;
    rank_t top = lo;
    for (rank_t q = lo; q <= hi; ++q)
        if ((q & -q) > (top & -top)) top = q;
    for (const rank_t below : {add_children(children, lo, top - 1), add_children(children, top + 1, hi)})
        if (below > 0) children[static_cast<std::size_t>(top)].push_back(below);
    return top;
}

}  // namespace

TEST_CASE("trees::double_binary: the laws hold for both trees") {
    CHECK(support::first_fault(first) == "");
    CHECK(support::first_fault(second) == "");
}

TEST_CASE("trees::double_binary: shapes of the trees") {
    CHECK(support::drawn(first, 1) == "");
    CHECK(support::drawn(first, 2) == "0>1");
    CHECK(support::drawn(second, 2) == "0>1");
    CHECK(support::drawn(first, 7) == "0>4; 4>2; 2>1 4>6; 2>3 6>5");
    CHECK(support::drawn(second, 7) == "0>3; 3>5; 3>1 5>6; 1>2 5>4");
    CHECK(support::drawn(first, 8) == "0>4; 4>2; 2>1 4>6; 2>3 6>5; 6>7");
    CHECK(support::drawn(second, 8) == "0>5; 5>3; 3>2 5>7; 3>4 7>6; 7>1");
    for (const trees::double_binary& t : {first, second})
        CHECK(support::first_difference(t, 200, [&t](rank_t p) {
                  const auto rank_of = [&](rank_t q) {
                      if (!t.second || q == 0) return q;
                      return p % 2 == 1 ? p - q : q % (p - 1) + 1;
                  };
                  std::vector<std::vector<rank_t>> places(static_cast<std::size_t>(p)), children(places);
                  if (p > 1) places[0].push_back(add_children(places, 1, p - 1));
                  for (rank_t q = 0; q < p; ++q)
                      for (const rank_t below : places[static_cast<std::size_t>(q)])
                          children[static_cast<std::size_t>(rank_of(q))].push_back(rank_of(below));
                  return support::simulated(p, [&](rank_t v) { return children[static_cast<std::size_t>(v)]; });
              }) == "");
}

TEST_CASE(
    "trees::double_binary: every rank but 0 is a leaf in at least one tree, and sends at most two messages in all") {
    for (rank_t p = 1; p <= support::most(5000); p += p < 300 ? 1 : 47) {
        bool inner_twice = false, too_many = false;
        for (rank_t v = 0; v < p; ++v) {
            inner_twice = inner_twice || (v > 0 && first.fanout(p, v) > 0 && second.fanout(p, v) > 0);
            too_many = too_many || first.fanout(p, v) + second.fanout(p, v) > 2;
        }
        CAPTURE(p);
        CHECK(!inner_twice);
        CHECK(!too_many);
        CHECK(first.fanout(p, 0) == (p > 1 ? 1 : 0));
        CHECK(second.fanout(p, 0) == (p > 1 ? 1 : 0));
    }
}

TEST_CASE("trees::double_binary: reports whether its reverse keeps the order of operands") {
    CHECK(support::reports_operand_order(first));
    CHECK(support::reports_operand_order(second));
}
