#include "collsched/tree/k_ary.hpp"

#include <doctest/doctest.h>

#include "support/brief.hpp"
#include "support/trees.hpp"

using namespace collsched;

static_assert(contiguous_tree<trees::in_order_binary>);
static_assert(support::lawful_up_to(trees::in_order_binary{}, 17));

namespace {

/// The children of every rank of lo .. lo+n-1, by the recursive definition.
void add_children(std::vector<std::vector<rank_t>>& children, rank_t lo, rank_t n) {
    const rank_t second = n / 2, first = n - 1 - second;
    for (const auto& [at, size] : {std::pair{lo + n - second, second}, std::pair{lo + 1, first}})
        if (size > 0) {
            children[static_cast<std::size_t>(lo)].push_back(at);
            add_children(children, at, size);
        }
}

}  // namespace

TEST_CASE("trees::in_order_binary: the laws hold, subtrees are contiguous") {
    CHECK(support::first_fault(trees::in_order_binary{}) == "");
    CHECK(support::first_wrong_extent(trees::in_order_binary{}) == "");
}

TEST_CASE("trees::in_order_binary: intervals are halved, the larger half first") {
    CHECK(support::drawn(trees::in_order_binary{}, 2) == "0>1");
    CHECK(support::drawn(trees::in_order_binary{}, 6) == "0>3; 0>1 3>5; 1>2 3>4");
    CHECK(support::drawn(trees::in_order_binary{}, 7) == "0>4; 0>1 4>6; 1>3 4>5; 1>2");
    CHECK(support::first_difference(trees::in_order_binary{}, 300, [](rank_t p) {
              std::vector<std::vector<rank_t>> children(static_cast<std::size_t>(p));
              add_children(children, 0, p);
              return support::simulated(p, [&](rank_t v) { return children[static_cast<std::size_t>(v)]; });
          }) == "");
}

TEST_CASE("trees::in_order_binary: no rank is deeper than floor(log2 p)") {
    for (rank_t p = 1; p <= support::most(300); ++p) {
        rank_t most = 0;
        for (rank_t v = 0; v < p; ++v) {
            rank_t depth = 0;
            for (rank_t up = v; up > 0; up = trees::in_order_binary{}.parent(p, up)) ++depth;
            most = depth > most ? depth : most;
        }
        CHECK(most == floor_log2(p));
    }
}

TEST_CASE("trees::in_order_binary: reports whether its reverse keeps the order of operands") {
    CHECK(support::reports_operand_order(trees::in_order_binary{}));
}
