#include "collsched/collective/reduce_scatter/reversals.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/block_counts.hpp"
#include "support/parameters.hpp"
#include "support/proofs.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(support::has_parameters<reduce_scatter::locality_bruck>({{"group", 2}}));
static_assert(detail::same_text(reduce_scatter::locality_bruck::info.name, "locality-bruck") &&
              reduce_scatter::locality_bruck::info.commutative);
static_assert(support::proved_for<reduce_scatter::locality_bruck, 1, 2, 4, 6, 8, 10, 12, 14, 16>);
static_assert(proved<verify(reduce_scatter::locality_bruck{.ranks = 15, .block = 3, .of = {.group = 5}})>);

namespace {

template <class F>
void for_each_region(rank_t most, F f) {
    for (rank_t p = 2; p <= most; ++p)
        for (rank_t region = 2; region <= p; ++region)
            if (p % region == 0) f(p, region);
}

rank_t logarithm(rank_t base, rank_t n) {
    rank_t exponent = 0;
    for (rank_t reached = 1; reached < n; reached *= base) ++exponent;
    return exponent;
}

}  // namespace

TEST_CASE("reduce_scatter::locality_bruck: rounds and bytes equal their formulas, within and between regions") {
    for_each_region(96, [](rank_t p, rank_t region) {
        CAPTURE(p);
        CAPTURE(region);
        const reduce_scatter::locality_bruck x{.ranks = p, .block = 8, .of = {.group = region}};
        const metrics_report m = support::measured(x);
        const stored_schedule s = materialize(x);
        CHECK(m.rounds == logarithm(region, p) * (logarithm(2, region) + 1) - 1);
        CHECK(m.max_in_degree == 1);
        CHECK(m.max_out_degree == 1);
        std::vector<bytes_t> out(static_cast<std::size_t>(p / region)), in = out;
        std::vector<step_t> crossed;
        for (const edge& e : s.edges()) {
            if (e.src / region == e.dst / region) continue;
            out[static_cast<std::size_t>(e.src / region)] += e.size;
            in[static_cast<std::size_t>(e.dst / region)] += e.size;
            CHECK(e.src % region == e.dst % region);
            CHECK(e.src % region > 0);
            if (crossed.empty() || crossed.back() != e.step) crossed.push_back(e.step);
        }
        CHECK(std::ssize(crossed) == logarithm(region, p) - 1);
        for (const auto& bytes : {out, in})
            for (const bytes_t n : bytes) CHECK(n == 8 * (p - region));
        for (rank_t r = 0; r < p; ++r) {
            CHECK(m.bytes_sent[r] == 8 * (p - 1));
            CHECK(m.scratch[r] == 8 * p);
        }
    });
}

TEST_CASE("reduce_scatter::locality_bruck: verified for every region, separate and in place") {
    for_each_region(64, [](rank_t p, rank_t region) {
        CAPTURE(p);
        CAPTURE(region);
        CHECK(support::verified(reduce_scatter::locality_bruck{.ranks = p, .block = 3, .of = {.group = region}}).ok());
        if (p <= 36)
            CHECK(support::verified(reduce_scatter::locality_bruck{.ranks = p, .block = 3, .of = {.group = region}},
                                    binding::in_place)
                      .ok());
    });
}

TEST_CASE("reduce_scatter::locality_bruck: a region that does not divide p is rejected") {
    CHECK(
        std::string(check(reduce_scatter::locality_bruck{.ranks = 9, .block = 1, .of = {.group = 4}}).text().c_str()) ==
        "ranks: got 9, expected a multiple of group, or less than group");
}
