#include "collsched/collective/scan/hierarchical.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "collsched/core/bits.hpp"
#include "support/hierarchies.hpp"
#include "support/matrix_products.hpp"
#include "support/prefixes.hpp"
#include "support/verified.hpp"

using namespace collsched;

namespace {

template <rank_t Ranks>
constexpr bool proved_at = proved<verify(exscan::hierarchical<>{
    .ranks = Ranks, .bytes = 4, .element = 2, .placement = support::awkward_placement<Ranks>()})>;

}  // namespace

static_assert(proved_at<1> && proved_at<2> && proved_at<3> && proved_at<4> && proved_at<5>);

TEST_CASE("exscan::hierarchical: operands are in order for any placement") {
    support::for_each_placement(48, [](rank_t p, const support::named_placement& on) {
        INFO(on.name, " p=", p);
        for (const auto& [bytes, element] : {support::message_size{0, 1}, {5, 1}, {16, 8}})
            support::check_prefixes(
                exscan::hierarchical<>{.ranks = p, .bytes = bytes, .element = element, .placement = on.where}, bytes);
    });
    for (const char* seats : {"A", "AABB", "ABBA", "AAABBBB", "ABABBA", "AABBBA", "ABCDEFG"}) {
        const topology::placement where = support::placed_as(seats);
        const exscan::hierarchical<> x{.ranks = where.ranks(), .bytes = 64, .element = 32, .placement = where};
        CHECK(support::wrong_product(x, binding::separate) == "");
        CHECK(support::wrong_product(x, binding::in_place) == "");
    }
}

TEST_CASE(
    "exscan::hierarchical: rounds of the scans in and among runs and of the broadcast in later runs, and scratch") {
    support::for_each_placement(64, [](rank_t p, const support::named_placement& on) {
        INFO(on.name, " p=", p);
        const rank_groups runs = runs_of(on.where, p);
        const support::crowd crowd(on.where, p);
        rank_t later = 1;
        for (rank_t g = 1; g < runs.groups(); ++g) later = std::max(later, runs.size(g));
        const metrics_report m =
            support::measured(exscan::hierarchical<>{.ranks = p, .bytes = 8, .placement = on.where});
        CHECK(m.rounds == ceil_log2(crowd.longest) + ceil_log2(crowd.runs) + ceil_log2(later));
        for (rank_t r = 0; r < p; ++r) {
            const rank_t g = runs.group(r), size = runs.size(g), i = runs.index(r);
            const bytes_t within = lower(exscan::recursive_doubling{.ranks = size, .bytes = 8}).scratch(i);
            const bytes_t among = lower(exscan::recursive_doubling{.ranks = runs.groups(), .bytes = 8}).scratch(g);
            CHECK(m.scratch[r] <= (crowd.runs > 1 ? 16 : 0) + std::max(within, i + 1 == size ? among : 0));
        }
    });
}
