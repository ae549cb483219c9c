#include "collsched/collective/reduce_scatter/reversals.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/block_counts.hpp"
#include "support/brief.hpp"
#include "support/parameters.hpp"
#include "support/proofs.hpp"

using namespace collsched;

static_assert(support::has_parameters<reduce_scatter::ring>());
static_assert(detail::same_text(reduce_scatter::ring::info.name, "ring") && reduce_scatter::ring::info.commutative);
static_assert(support::proved_up_to_17<reduce_scatter::ring>::value);

TEST_CASE("reduce_scatter::ring: rounds, messages and bytes equal their formulas, with copies before and after") {
    for (rank_t p = 1; p <= support::most(256); ++p) {
        CAPTURE(p);
        const reduce_scatter::ring x{.ranks = p, .block = 8};
        support::check_counts(x, p - 1, p * (p - 1));
        CHECK(lower(x).steps() == (p == 1 ? 1 : p + 1));
        CHECK(lower(x).scratch(p / 2) == (p == 1 ? 0 : 8 * p));
    }
}

TEST_CASE("reduce_scatter::ring: in round i a rank sends block r+i to the rank before it") {
    for (rank_t p = 2; p <= 20; ++p)
        for (rank_t r = 0; r < p; ++r)
            for (const auto& [message, blocks] :
                 support::sent_blocks(reduce_scatter::ring{.ranks = p, .block = 1}, r).messages) {
                CHECK(message.second == (r + p - 1) % p);
                CHECK(blocks == std::set<rank_t>{(r + message.first) % p});
            }
}

static_assert(proved<verify(reduce_scatter::ring{.ranks = 5, .block = 24, .element = 24})>);

TEST_CASE("reduce_scatter::ring: every block, and every gap between blocks, is a number of elements") {
    const auto refusal = [](const block_layout& block, bytes_t element) {
        const argument_error error =
            lower(reduce_scatter::ring{.ranks = 3, .block = block, .element = element}).check();
        return error ? std::string(error.text().c_str()) : std::string();
    };
    CHECK(refusal(8, 8) == "");
    CHECK(refusal(8, 0) == "element: got 0, expected 1 byte or more");
    CHECK(refusal(8, 3) == "element: got 3, expected a size that divides every block and displacement");
    const std::vector<bytes_t> counts{8, 0, 16}, displs{8, 3, 16};
    CHECK(refusal(block_layout(counts), 8) == "");
    CHECK(refusal({counts, displs}, 8) == "element: got 8, expected a size that divides every block and displacement");
    CHECK(lower(reduce_scatter::ring{.ranks = 3, .block = 8, .element = 4}).contract().element == 4);
    CHECK(fingerprint(reduce_scatter::ring{.ranks = 3, .block = 8, .element = 4}) !=
          fingerprint(reduce_scatter::ring{.ranks = 3, .block = 8, .element = 8}));
}
