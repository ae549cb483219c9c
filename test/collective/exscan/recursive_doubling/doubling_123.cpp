#include "collsched/collective/exscan/recursive_doubling.hpp"

#include <doctest/doctest.h>

#include <string>

#include "support/brief.hpp"
#include "support/parameters.hpp"
#include "support/prefixes.hpp"
#include "support/verified.hpp"

using namespace collsched;

namespace {

/// The number of operands in the result of a rank far from 0 after each round: 1, 3, 6, 12, ...
step_t rounds(rank_t p) {
    step_t count = 0;
    for (rank_t covered = 0; covered < p - 1; ++count) covered = count < 2 ? 2 * count + 1 : 2 * covered;
    return count;
}

}  // namespace

static_assert(support::has_parameters<exscan::doubling_123>());
static_assert(edge_algorithm<exscan::doubling_123>);
static_assert(support::prefixes_up_to_17<exscan::doubling_123>::value);

TEST_CASE("exscan::doubling_123: correct for every number of ranks, in both bindings, operands in order") {
    support::check_ranks<exscan::doubling_123>(300);
}

TEST_CASE("exscan::doubling_123: correct for elements of any size") {
    support::check_elements([](rank_t p, bytes_t bytes, bytes_t element) {
        return exscan::doubling_123{.ranks = p, .bytes = bytes, .element = element};
    });
}

TEST_CASE("exscan::doubling_123: rounds, bytes and combinations equal their formulas") {
    for (rank_t p = 1; p <= support::most(300); ++p) {
        CAPTURE(p);
        const step_t q = rounds(p);
        const exscan::doubling_123 x{.ranks = p, .bytes = 8};
        const metrics_report m = support::measured(x);
        CHECK(m.steps == q + (p < 4 ? p - 2 + (p == 1 ? 1 : 0) : 2));
        CHECK(m.rounds == q);
        CHECK(m.rounds <= ceil_log2(p) + 1);
        if (p > 1) {  // q is the least with 2^q >= 4 (p-1) / 3
            CHECK(3 * (rank_t{1} << q) >= 4 * (p - 1));
            CHECK(3 * (rank_t{1} << q) < 8 * (p - 1));
        }
        CHECK(m.max_in_degree == (p > 1 ? 1 : 0));
        CHECK(m.max_out_degree == m.max_in_degree);
        CHECK(m.bytes_sent[p > 3 ? 1 : 0] == 8 * q);
        CHECK(m.bytes_received[p - 1] == 8 * q);
        for (rank_t r = 0; r < p; ++r) {
            CHECK(m.bytes_sent[r] <= 8 * q);
            CHECK(m.bytes_received[r] <= 8 * q);
            CHECK(m.scratch[r] == (r == 0 || r == p - 1 ? 0 : 8));
            CHECK(m.scratch[r] == support::scratch_used(x, r));
            const std::int64_t received = m.bytes_received[r] / 8, prepared = r > 0 && r + 2 < p ? 1 : 0;
            CHECK(support::combines(x, r) == (received > 1 ? received - 1 : 0) + prepared);
            CHECK(support::combines(x, r) <= q);
        }
    }
}

TEST_CASE("exscan::doubling_123: distances are 1, 2, 3, 6, 12, ..., and local edges have steps before the first two") {
    for (const edge& e : edges(exscan::doubling_123{.ranks = 60, .bytes = 3})) {
        CHECK(e.is_local() == (e.step == 0 || e.step == 2));
        if (e.is_local()) continue;
        const step_t round = e.step == 1 ? 0 : e.step - 2;
        CHECK(e.dst - e.src == (round < 2 ? round + 1 : 3 * (rank_t{1} << (round - 2))));
        CHECK(e.combines() == (round > 0));
    }
}

TEST_CASE("exscan::doubling_123: wrong parameters are reported, and the largest ones are accepted") {
    CHECK(std::string(check(exscan::doubling_123{.ranks = 0}).argument) == "ranks");
    CHECK(std::string(check(exscan::doubling_123{.ranks = 2, .bytes = -1}).argument) == "bytes");
    CHECK(std::string(check(exscan::doubling_123{.ranks = 2, .bytes = 9, .element = 2}).argument) == "element");
    constexpr rank_t many = (rank_t{1} << 62) - 1;
    const auto x = lower(exscan::doubling_123{.ranks = many, .bytes = 1});
    CHECK(x.steps() == 63 + 2);
    std::int64_t received = 0;
    for (step_t k = 0; k < x.steps(); ++k) x.receives(many - 1, k, [&](const edge&) { ++received; });
    CHECK(received == 63);
}
