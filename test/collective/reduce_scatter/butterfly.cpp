#include "collsched/collective/reduce_scatter/butterfly.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "collsched/core/bits.hpp"
#include "support/brief.hpp"
#include "support/layouts.hpp"
#include "support/ordered_blocks.hpp"
#include "support/parameters.hpp"
#include "support/proofs.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(support::has_parameters<reduce_scatter::butterfly>());
static_assert(edge_algorithm<reduce_scatter::butterfly>);
static_assert(support::proved_for<reduce_scatter::butterfly, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16>);

TEST_CASE("reduce_scatter::butterfly: operands keep their order for every number of ranks and every layout") {
    support::check_keeps_order<reduce_scatter::butterfly>();
    for (const rank_t p : {255, 256, 300})
        CHECK(support::verified(reduce_scatter::butterfly{.ranks = p, .block = 5}).ok());
}

TEST_CASE("reduce_scatter::butterfly: correct for products of 2x2 matrices") {
    support::check_products<reduce_scatter::butterfly>();
}

TEST_CASE("reduce_scatter::butterfly: rounds, messages and bytes equal their formulas") {
    for (rank_t p = 1; p <= support::most(256); ++p) {
        CAPTURE(p);
        const rank_t power = floor_power_of_two(p), guests = p - power;
        const metrics_report m = support::measured(reduce_scatter::butterfly{.ranks = p, .block = 8});
        CHECK(m.rounds == floor_log2(p) + (guests > 0 ? 2 : 0));
        CHECK(m.messages == power * floor_log2(p) + 2 * guests);
        CHECK(m.transfers == m.messages);
        CHECK(m.max_in_degree <= 1);
        CHECK(m.max_out_degree <= 1);
        for (rank_t r = 0; r < p; ++r) {
            const bool guest = r < 2 * guests && r % 2 == 1;
            CHECK(m.bytes_sent[r] == 8 * (guest ? p : p - 1));
            if (guest) CHECK(m.bytes_received[r] == 8);
            else if (guests == 0) CHECK(m.bytes_received[r] == 8 * (p - 1));
            else CHECK(m.bytes_received[r] < 8 * 3 * (p - 1));
            CHECK(m.scratch[r] == (p == 1 ? 0 : 8 * p));
        }
    }
}

TEST_CASE(
    "reduce_scatter::butterfly: a message is one piece for irregular blocks with gaps too, and no message is empty") {
    for (rank_t p = 1; p <= support::most(40); ++p)
        for (const auto& [name, layout] : support::layouts(p)) {
            const metrics_report m = support::measured(reduce_scatter::butterfly{.ranks = p, .block = layout});
            CHECK(m.transfers == m.messages);
            CHECK((m.messages == 0) == (p == 1 || layout.prefix(p) == 0));
        }
}

TEST_CASE(
    "reduce_scatter::butterfly: in round i ranks that differ in bit i exchange blocks of the other's lowest i+1 bits") {
    for (rank_t p = 2; p <= support::most(40); ++p) {
        const rank_t guests = p - floor_power_of_two(p);
        const auto number = [&](rank_t r) { return r < 2 * guests ? r / 2 : r - guests; };
        std::vector<bytes_t> counts;  // the sum of a subset determines the subset
        for (rank_t r = 0; r < p; ++r) counts.push_back(bytes_t{1} << r);
        for (const edge& e : edges(reduce_scatter::butterfly{.ranks = p, .block = block_layout(counts)})) {
            if (e.is_local()) continue;
            const step_t round = e.step - (guests > 0 ? 2 : 1);
            if (round < 0) {
                CHECK(e.src == e.dst + 1);
                CHECK(e.size == (bytes_t{1} << p) - 1);
            } else if (round == floor_log2(p)) {
                CHECK(e.dst == e.src + 1);
                CHECK(e.size == bytes_t{1} << e.dst);
                CHECK(e.action == action::copy);
            } else {
                CHECK((number(e.src) ^ number(e.dst)) == rank_t{1} << round);
                bytes_t wanted = 0;
                for (rank_t b = 0; b < p; ++b)
                    if ((number(b) - number(e.dst)) % (rank_t{2} << round) == 0) wanted += bytes_t{1} << b;
                CHECK(e.size == wanted);
                continue;
            }
            CHECK(number(e.src) == number(e.dst));
            CHECK(e.src < 2 * guests);
        }
    }
}

// No sum on the way passes the last byte.
static_assert(proved<verify(reduce_scatter::butterfly{.ranks = 2, .block = block_layout::partition(INT64_MAX, 2)})>);
static_assert(proved<verify(reduce_scatter::butterfly{.ranks = 3, .block = block_layout::partition(INT64_MAX, 3)})>);

TEST_CASE("reduce_scatter::butterfly: wrong parameters are reported") {
    CHECK(std::string(check(reduce_scatter::butterfly{.ranks = 0}).argument) == "ranks");
    CHECK(std::string(check(reduce_scatter::butterfly{.ranks = 3, .block = -1}).argument) == "block");
}
