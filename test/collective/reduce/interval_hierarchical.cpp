#include "collsched/collective/broadcast/hierarchical.hpp"

#include <doctest/doctest.h>

#include "support/bracketings.hpp"
#include "support/placements.hpp"
#include "support/verified.hpp"

using namespace collsched;

TEST_CASE("reduce::interval_hierarchical: every byte is the canonical tree where nodes are aligned") {
    for (const char* seats : {"A", "AA", "AB", "AAB", "AAABB", "AABBCCDD", "AAAABBBB", "AAAAAABBBBBB", "AAABBBCCCDDD",
                              "AABCCD", "AAAABBBCCCDDD", "BBBBBBBAAAAAA"}) {
        CAPTURE(seats);
        const topology::placement where = support::placed_as(seats);
        const reduce::interval_hierarchical x{
            {.ranks = where.ranks(), .root = where.ranks() / 2, .bytes = 3, .placement = where}};
        CHECK(support::verified(x).ok());
        CHECK(!lower(x).contract().commutative);
        CHECK(support::wrong_tree(x, binding::separate) == "");
    }
}
