#include "collsched/collective/reduce_scatter/reduce_then_scatter.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "collsched/collective/reduce_scatter/reversals.hpp"
#include "collsched/core/bits.hpp"
#include "support/brief.hpp"
#include "support/layouts.hpp"
#include "support/ordered_blocks.hpp"
#include "support/parameters.hpp"
#include "support/proofs.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(support::has_parameters<reduce_scatter::reduce_then_scatter>());
static_assert(derived_algorithm<reduce_scatter::reduce_then_scatter>);
static_assert(support::proved_up_to_17<reduce_scatter::reduce_then_scatter>::value);

TEST_CASE("reduce_scatter::reduce_then_scatter: operands keep their order for every number of ranks and every layout") {
    support::check_keeps_order<reduce_scatter::reduce_then_scatter>();
}

TEST_CASE("reduce_scatter::reduce_then_scatter: correct for products of 2x2 matrices") {
    support::check_products<reduce_scatter::reduce_then_scatter>();
}

TEST_CASE("reduce_scatter::reduce_then_scatter: rounds, messages and bytes equal their formulas") {
    for (rank_t p = 1; p <= support::most(256); ++p) {
        CAPTURE(p);
        const metrics_report m = support::measured(reduce_scatter::reduce_then_scatter{.ranks = p, .block = 8});
        CHECK(m.rounds == 2 * ceil_log2(p));
        CHECK(m.messages == 2 * (p - 1));
        CHECK(m.bytes_sent[0] == 8 * (p - 1));
        CHECK(m.bytes_received[0] == 8 * p * ceil_log2(p));
        for (rank_t r = 1; r < p; ++r) {
            const rank_t subtree = std::min(r & -r, p - r);
            CHECK(m.bytes_sent[r] == 8 * (p + subtree - 1));
            CHECK(m.scratch[r] == 8 * p);
        }
    }
}

TEST_CASE("reduce_scatter::reduce_then_scatter: bytes between the blocks are neither combined nor sent") {
    for (rank_t p = 2; p <= 20; ++p)
        for (const auto& [name, layout] : support::layouts(p)) {
            const metrics_report m =
                support::measured(reduce_scatter::reduce_then_scatter{.ranks = p, .block = layout});
            CHECK(m.bytes_received[0] == layout.prefix(p) * ceil_log2(p));
            CHECK(m.bytes_sent[p - 1] == layout.prefix(p));
        }
}

TEST_CASE("reduce_scatter::reduce_then_scatter: wrong parameters are reported") {
    CHECK(std::string(check(reduce_scatter::reduce_then_scatter{.ranks = 0}).argument) == "ranks");
    CHECK(std::string(check(reduce_scatter::reduce_then_scatter{.ranks = 3, .block = -1}).argument) == "block");
    const bytes_t counts[] = {1, 2, 3};
    const reduce_scatter::reduce_then_scatter other{.ranks = 4, .block = block_layout(counts)};
    CHECK(std::string(check(other).argument) == "counts");
    CHECK(check(reduce_scatter::reduce_then_scatter{.ranks = 4, .block = 6, .element = 4}) ==
          check(reduce_scatter::circulant{.ranks = 4, .block = 6, .element = 4}));
    CHECK(check(reduce_scatter::reduce_then_scatter{.ranks = 4, .block = 6, .element = 4}));
}
