#include "collsched/collective/reduce_scatter/recursive_doubling.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <utility>

#include "collsched/core/bits.hpp"
#include "support/brief.hpp"
#include "support/ordered_blocks.hpp"
#include "support/parameters.hpp"
#include "support/proofs.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(support::has_parameters<reduce_scatter::recursive_doubling>());
static_assert(edge_algorithm<reduce_scatter::recursive_doubling>);
static_assert(support::proved_up_to_17<reduce_scatter::recursive_doubling>::value);

TEST_CASE("reduce_scatter::recursive_doubling: operands keep their order for every number of ranks and every layout") {
    support::check_keeps_order<reduce_scatter::recursive_doubling>();
}

TEST_CASE("reduce_scatter::recursive_doubling: correct for products of 2x2 matrices") {
    support::check_products<reduce_scatter::recursive_doubling>();
}

TEST_CASE("reduce_scatter::recursive_doubling: rounds, messages and bytes equal their formulas") {
    for (rank_t p = 1; p <= support::most(200); ++p) {
        CAPTURE(p);
        const metrics_report m = support::measured(reduce_scatter::recursive_doubling{.ranks = p, .block = 8});
        CHECK(m.rounds == ceil_log2(p));
        CHECK(m.messages == p * ceil_log2(p));
        CHECK(m.max_in_degree <= 1);
        CHECK(m.max_out_degree <= 1);
        for (rank_t r = 0; r < p; ++r) {
            const rank_t twice = r < p - 1 ? (p - 2 - r) >> ceil_log2(r + 2) : 0;
            CHECK(m.bytes_sent[r] == 8 * (p - 1 + twice));
            CHECK(2 * m.bytes_sent[r] <= 3 * 8 * (p - 1));
            CHECK(m.bytes_received[r] >= 8 * (p - 1));
            CHECK(4 * m.bytes_received[r] <= 5 * 8 * p);
            CHECK(m.scratch[r] == (p == 1 ? 0 : 2 * 8 * p));
        }
    }
}

TEST_CASE("reduce_scatter::recursive_doubling: every block leaves every rank once, d ranks on for odd multiples of d") {
    for (rank_t p = 2; p <= support::most(40); ++p) {
        std::map<std::pair<rank_t, rank_t>, int> sums, parts;  // of a rank and a block
        for (const edge& e : edges(reduce_scatter::recursive_doubling{.ranks = p, .block = 1})) {
            if (e.is_local()) continue;
            const rank_t d = rank_t{1} << (e.step - 1), block = e.into_offset % p, way = (block - e.src + p) % p;
            CHECK((e.dst - e.src + p) % p == d);
            CHECK(way / d % 2 == 1);
            CHECK(way % d == 0);
            CHECK(e.from_offset % p == block);
            ++(e.from_offset < p ? sums : parts)[{e.src, block}];
        }
        for (rank_t r = 0; r < p; ++r)
            for (rank_t block = 0; block < p; ++block) {
                CHECK((sums[{r, block}]) == (r == block ? 0 : 1));
                const rank_t way = (block - r + p) % p, lowest_bit = way & -way;
                const bool round = r + 1 < lowest_bit && r + 1 < p - way;
                CHECK((parts[{r, block}]) == (round ? 1 : 0));
            }
    }
}

TEST_CASE("reduce_scatter::recursive_doubling: no message is empty") {
    for (rank_t p = 1; p <= 20; ++p)
        CHECK(support::measured(reduce_scatter::recursive_doubling{.ranks = p, .block = 0}).messages == 0);
}

TEST_CASE("reduce_scatter::recursive_doubling: wrong parameters are reported, and scratch beyond 64 bits is rejected") {
    CHECK(std::string(check(reduce_scatter::recursive_doubling{.ranks = 0}).argument) == "ranks");
    CHECK(std::string(check(reduce_scatter::recursive_doubling{.ranks = 3, .block = -1}).argument) == "block");
    const bytes_t huge = bytes_t{1} << 61;
    CHECK(support::verified(reduce_scatter::recursive_doubling{.ranks = 1, .block = 2 * huge}).ok());
    CHECK(std::string(check(reduce_scatter::recursive_doubling{.ranks = 2, .block = huge}).argument) == "block");
    CHECK(support::verified(reduce_scatter::recursive_doubling{.ranks = 2, .block = huge - 1}).ok());
}
