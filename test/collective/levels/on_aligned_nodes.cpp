#include "collsched/collective/levels.hpp"

#include <doctest/doctest.h>

#include <string>

#include "collsched/collective/allreduce/hierarchical.hpp"
#include "support/placements.hpp"

using namespace collsched;

TEST_CASE("check_aligned: nodes of one interval each, all of the same depth") {
    for (const char* seats : {"A", "AB", "AAB", "AABCCD", "AAAABBBB", "AAABBCCDD", "CCCCAAAA"}) {
        const topology::placement where = support::placed_as(seats);
        CAPTURE(seats);
        CHECK(!check_aligned(where, where.ranks()));
    }
    for (const char* seats : {"ABA", "ABB", "ABAB", "AABC", "AABBB", "AABBC", "AAABC", "ABBBBCCC"}) {
        const topology::placement where = support::placed_as(seats);
        CAPTURE(seats);
        CHECK(check_aligned(where, where.ranks()).argument == std::string("placement"));
    }
    CHECK(!check_aligned({}, 13));
}

TEST_CASE("on_aligned_nodes: reports other placements with one error, and wrong parameters first") {
    using x = allreduce::interval_hierarchical;
    CHECK(std::string(check(x{{.ranks = 5, .bytes = 8, .placement = support::placed_as("AABBB")}}).text().c_str()) ==
          "placement[2]: got 3, expected nodes that are intervals of the canonical tree, all of one depth");
    CHECK(check(x{{.ranks = 0, .bytes = 8}}).argument == std::string("ranks"));
    CHECK(check(x{{.ranks = 4, .bytes = -8}}).argument == std::string("bytes"));
}
