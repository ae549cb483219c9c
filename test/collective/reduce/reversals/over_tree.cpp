#include "collsched/collective/reduce/reversals.hpp"

#include <doctest/doctest.h>

#include "collsched/core/bits.hpp"
#include "collsched/tree.hpp"
#include "collsched/verify/verify.hpp"
#include "support/brief.hpp"
#include "support/parameters.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(support::has_parameters<reduce::over_tree<trees::binomial>>());
static_assert(proved<verify(reduce::over_tree<trees::binomial>{.ranks = 17, .bytes = 8})>);

TEST_CASE("reduce::over_tree: the trees in order keep the order of operands at root 0 for every p") {
    for (rank_t p = 1; p <= support::most(100); ++p)
        for (const bytes_t segment : {0, 3}) {
            const auto keeps = [&](auto reduction) {
                CHECK(!lower(reduction).contract().commutative);
                CHECK(support::verified(reduction).ok());
            };
            keeps(reduce::over_tree<trees::binomial>{.ranks = p, .bytes = 7, .of = {.segment = segment}});
            keeps(reduce::over_tree<trees::chain>{.ranks = p, .bytes = 7, .of = {.segment = segment}});
            keeps(reduce::over_tree<trees::chain>{.ranks = p, .bytes = 7, .of = {.segment = segment, .tree = {3}}});
            keeps(reduce::over_tree<trees::in_order_binary>{.ranks = p, .bytes = 7, .of = {.segment = segment}});
        }
}

TEST_CASE("reduce::over_tree: an edge over distance 2^j has round j, and every rank sends only its vector") {
    for (rank_t p = 2; p <= support::most(40); ++p) {
        const reduce::over_tree<trees::binomial> r{.ranks = p, .root = p - 1, .bytes = 8};
        for (const edge& e : edges(r))
            if (!e.is_local()) CHECK((e.src - e.dst + p) % p == rank_t{1} << (e.step - 1));
        const metrics_report m = support::measured(r);
        CHECK(m.rounds == ceil_log2(p));
        for (rank_t i = 0; i < p; ++i) CHECK(m.bytes_sent[i] == (i == p - 1 ? 0 : 8));
    }
}
