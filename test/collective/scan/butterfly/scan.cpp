#include "collsched/collective/scan/butterfly.hpp"

#include <doctest/doctest.h>

#include <string>

#include "support/butterflies.hpp"
#include "support/parameters.hpp"

using namespace collsched;

static_assert(support::has_parameters<scan::butterfly>());

TEST_CASE("scan::butterfly: correct for every number of ranks, in both bindings, operands in order") {
    support::check_prefixes<scan::butterfly>();
}

TEST_CASE("scan::butterfly: every byte is the canonical tree of its prefix") {
    support::check_prefix_trees<scan::butterfly>();
}

TEST_CASE("scan::butterfly: ceil(log2 p) rounds of one message per rank, and scratch for sums that are used") {
    support::check_prefix_rounds<scan::butterfly>();
}

TEST_CASE("scan::butterfly: no edge can be left out") { support::check_prefix_uses<scan::butterfly>(); }

TEST_CASE("scan::butterfly: sizes whose scratch exceeds 64 bits are rejected") {
    support::check_prefix_sizes<scan::butterfly>();
}

TEST_CASE("scan::butterfly: the largest accepted number of bytes is the one that the error reports") {
    constexpr bytes_t limit = bytes_t{1} << 62;
    CHECK(!check(scan::butterfly{.ranks = 3, .bytes = limit - 1}));
    CHECK(std::string(check(scan::butterfly{.ranks = 3, .bytes = limit}).text().c_str()) ==
          "bytes: got 4611686018427387904, expected less than 2^62 bytes");
}
