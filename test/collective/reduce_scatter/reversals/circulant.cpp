#include "collsched/collective/reduce_scatter/reversals.hpp"

#include <doctest/doctest.h>

#include "collsched/core/bits.hpp"
#include "collsched/schedule/edge_views.hpp"
#include "support/block_counts.hpp"
#include "support/brief.hpp"
#include "support/parameters.hpp"
#include "support/proofs.hpp"

using namespace collsched;

static_assert(support::has_parameters<reduce_scatter::circulant>());
static_assert(detail::same_text(reduce_scatter::circulant::info.name, "circulant") &&
              reduce_scatter::circulant::info.commutative);
static_assert(support::proved_up_to_17<reduce_scatter::circulant>::value);

TEST_CASE("reduce_scatter::circulant: rounds, messages and bytes equal their formulas, for every p") {
    for (rank_t p = 1; p <= support::most(300); ++p) {
        CAPTURE(p);
        support::check_counts(reduce_scatter::circulant{.ranks = p, .block = 8}, ceil_log2(p), p * ceil_log2(p));
    }
}

TEST_CASE("reduce_scatter::circulant: for k = q-1 .. 0 a rank sends the blocks r + s_k .. r + s_{k+1} - 1 to r + s_k") {
    for (rank_t p = 2; p <= support::most(300); ++p) {
        CAPTURE(p);
        const rank_t r = p * 2 / 3;
        const support::sent_blocks sent(reduce_scatter::circulant{.ranks = p, .block = 1}, r);
        rank_t above = p;
        step_t round = 1;
        for (; above > 1; ++round) {
            const rank_t skip = (above + 1) / 2, target = (r + skip) % p;
            std::set<rank_t> expected;
            for (rank_t i = skip; i < above; ++i) expected.insert((r + i) % p);
            REQUIRE(sent.messages.contains({round, target}));
            CHECK(sent.messages.at({round, target}) == expected);
            above = skip;
        }
        CHECK(std::ssize(sent.messages) == round - 1);
    }
}

TEST_CASE(
    "reduce_scatter::circulant: one rank of very many sends p-1 blocks in ceil(log2 p) messages of 1 or 2 pieces") {
    for (rank_t p = 300; p <= rank_t{1} << 20; p += p / 3 + 1) {
        CAPTURE(p);
        const reduce_scatter::circulant x{.ranks = p, .block = 1};
        bytes_t sent = 0;
        std::int64_t edges = 0;
        for (const edge& e : program(x, p / 7))
            if (!e.is_local() && e.src == p / 7) sent += e.size, ++edges;
        CHECK(sent == p - 1);
        CHECK(edges <= 2 * ceil_log2(p));
        CHECK(lower(x).steps() == ceil_log2(p) + 2);
    }
}
