#include "collsched/collective/reduce_scatter/reversals.hpp"

#include <doctest/doctest.h>

#include "support/block_counts.hpp"
#include "support/brief.hpp"
#include "support/parameters.hpp"
#include "support/proofs.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(detail::same_text(reduce_scatter::by_dimension::info.name, "by-dimension") &&
              reduce_scatter::by_dimension::info.commutative);
static_assert(support::has_parameters<reduce_scatter::by_dimension>({{"group", 8}, {"radix", 8}}));
static_assert(support::proved_up_to_17<reduce_scatter::by_dimension>::value);

TEST_CASE("reduce_scatter::by_dimension: rounds and bytes equal those of the allgather, reversed") {
    for (rank_t p = 1; p <= support::most(80); ++p)
        for (const rank_t group : {1, 2, 3, 8, 9, 30})
            for (const std::int64_t radix : {2, 5, 8}) {
                CAPTURE(p);
                CAPTURE(group);
                CAPTURE(radix);
                const metrics_report m = support::measured(
                    reduce_scatter::by_dimension{.ranks = p, .block = 8, .of = {.group = group, .radix = radix}});
                const metrics_report forward =
                    support::measured(allgather::by_dimension{.ranks = p, .block = 8, .group = group, .radix = radix});
                CHECK(m.rounds == forward.rounds);
                CHECK(m.messages == forward.messages);
                for (rank_t r = 0; r < p; ++r) {
                    CHECK(m.bytes_sent[r] == 8 * (p - 1));
                    CHECK(m.bytes_received[r] == forward.bytes_sent[r]);
                }
            }
}

TEST_CASE("reduce_scatter::by_dimension: verified for every p, row and radix") {
    for (rank_t p = 1; p <= support::most(40); ++p)
        for (rank_t group = 1; group <= p; ++group)
            for (const std::int64_t radix : {2, 3, 8}) {
                if (radix < 8 && p / group < 2 * radix) continue;  // the mesh of radix 8 has them
                CAPTURE(p);
                CAPTURE(group);
                CAPTURE(radix);
                CHECK(
                    support::verified(reduce_scatter::by_dimension{
                                          .ranks = p, .block = 4, .element = 4, .of = {.group = group, .radix = radix}})
                        .ok());
            }
}
