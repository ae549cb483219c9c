#include "collsched/collective/matched.hpp"

#include <doctest/doctest.h>

#include "collsched/execute/inline.hpp"
#include "collsched/verify/verify.hpp"
#include "support/layouts.hpp"
#include "support/matched_networks.hpp"
#include "support/parameters.hpp"
#include "support/real_bytes.hpp"
#include "support/transfer_oracle.hpp"
#include "support/verified.hpp"

using namespace collsched;
using reduce_scatter::matched;

static_assert(support::has_parameters<matched>());
static_assert(matched::info.commutative && matched::info.collective == collective::reduce_scatter);
static_assert(
    proved<verify(matched{.ranks = 3, .block = 20, .element = 4, .of = {.transfers = support::matched_ring(3, 2)}})>);
static_assert(proved<verify(matched{.ranks = 3, .block = 2, .of = {.transfers = support::matched_ring(3, 1)}},
                            binding::in_place)>);

TEST_CASE(
    "reduce_scatter::matched: verified on networks with and without switches, for every layout, separate and in "
    "place") {
    support::verify_on_networks<matched>(
        [](const topology::network& net, std::int64_t parts) { return support::matched_on(net.reversed(), parts); });
}

TEST_CASE("reduce_scatter::matched: every rank sends every other block once, for every p up to 30") {
    for (rank_t p = 2; p <= 30; ++p) {
        CAPTURE(p);
        const matched x{
            .ranks = p, .block = 28, .element = 4, .of = {.window = 2, .transfers = support::matched_ring(p, 3)}};
        CHECK(support::verified(x).ok());
        const metrics_report m = support::measured(x);
        for (rank_t r = 0; r < p; ++r) CHECK(m.bytes_sent[r] == 28 * (p - 1));
        CHECK(lower(x).pacing().window == 2);
    }
}

TEST_CASE("reduce_scatter::matched: right with real bytes") {
    for (const rank_t p : {2, 5, 9})
        for (const binding how : {binding::separate, binding::in_place}) {
            const matched x{.ranks = p, .block = 36, .element = 4, .of = {.transfers = support::matched_ring(p, 2)}};
            const contract contract = lower(x).contract();
            const auto [bytes, memory] = support::filled(contract, how);
            REQUIRE(run_inline(x, memory, how, support::operation(contract)).done());
            for (auto& b : bytes) REQUIRE(b.wrong() == "");
        }
}

TEST_CASE("reduce_scatter::matched: transfers for other ranks are rejected, and other transfers are another schedule") {
    const matched x{.ranks = 4, .block = 8, .of = {.transfers = support::matched_ring(4, 1)}};
    matched y = x;
    CHECK(!check(x));
    CHECK(fingerprint(x) == fingerprint(y));
    y.of.transfers = support::matched_ring(4, 2);
    CHECK(fingerprint(x) != fingerprint(y));
    y.ranks = 5;
    CHECK(check(y) == argument_error{"ranks", 5, "as many ranks as the transfers have"});
}
