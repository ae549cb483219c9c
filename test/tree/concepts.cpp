#include "collsched/tree/concepts.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "collsched/tree/chain.hpp"
#include "collsched/tree/k_ary.hpp"
#include "collsched/tree/planned_tree.hpp"
#include "support/trees.hpp"

using namespace collsched;

namespace {

/// The archetype with the extents of its subtrees.
struct measured : support::broom {
    constexpr rank_t extent(rank_t p, rank_t v) const { return v < 2 ? p - v : 1; }
    bool operator==(const measured&) const = default;
};
/// Like measured, but with a numbering of its own for extents.
struct numbered : measured {
    constexpr rank_t position(rank_t v) const { return v; }
    bool operator==(const numbered&) const = default;
};
/// Like the archetype, but without the step in which a rank receives.
struct timeless : support::broom {
    constexpr step_t step(rank_t, rank_t) const = delete;
    bool operator==(const timeless&) const = default;
};
/// Like the archetype, but check() returns no argument_error.
struct unchecked : support::broom {
    constexpr bool check(rank_t) const { return true; }
    bool operator==(const unchecked&) const = default;
};
/// Like the archetype, but without a source for lists.
struct unsourced : support::broom {
    static constexpr double source = 0;
    bool operator==(const unsourced&) const = default;
};
/// Like the archetype, but values cannot be compared.
struct incomparable : support::broom {
    bool operator==(const incomparable&) const = delete;
};

}  // namespace

static_assert(support::lawful_up_to(support::broom{}, 17));

TEST_CASE("tree concepts: the archetypes satisfy the concepts, and work") {
    static_assert(rooted_tree<support::broom> && rooted_tree<measured> && rooted_tree<numbered>);
    static_assert(contiguous_tree<measured>);
    CHECK(support::first_fault(support::broom{}) == "");
    CHECK(support::first_wrong_extent(measured{}) == "");
}

TEST_CASE("tree concepts: near misses do not satisfy them") {
    static_assert(!contiguous_tree<support::broom> && !contiguous_tree<numbered>);
    static_assert(!rooted_tree<timeless>);
    static_assert(!rooted_tree<unchecked>);
    static_assert(!rooted_tree<unsourced>);
    static_assert(!rooted_tree<incomparable>);
    static_assert(!rooted_tree<int>);
}

TEST_CASE("tree concepts: a tree made for one root is called for that root") {
    const trees::planned_tree star(3, 1, std::vector<trees::tree_edge>{{1, 0}, {1, 2}});
    CHECK(!check_tree(star, 3, 1));
    CHECK(std::string(check_tree(star, 3, 0).argument) == "root");
    CHECK(!check_tree(trees::flat{}, 3, 0));
    CHECK(check_tree(trees::k_ary{.radix = 0}, 3, 0) == trees::k_ary{.radix = 0}.check(3));
}
