#include "collsched/collective/scan/butterfly.hpp"

#include <doctest/doctest.h>

#include "support/butterflies.hpp"

using namespace collsched;

TEST_CASE("exscan::butterfly: correct for every number of ranks, in both bindings, operands in order") {
    support::check_prefixes<exscan::butterfly>();
}

TEST_CASE("exscan::butterfly: every byte is the canonical tree of its prefix") {
    support::check_prefix_trees<exscan::butterfly>();
}

TEST_CASE("exscan::butterfly: ceil(log2 p) rounds of one message per rank, and scratch for sums that are used") {
    support::check_prefix_rounds<exscan::butterfly>();
}

TEST_CASE("exscan::butterfly: no edge can be left out") { support::check_prefix_uses<exscan::butterfly>(); }

TEST_CASE("exscan::butterfly: sizes whose scratch exceeds 64 bits are rejected") {
    support::check_prefix_sizes<exscan::butterfly>();
}
