#include "collsched/collective/alltoall/hierarchical.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <utility>

#include "collsched/collective/alltoall/bruck.hpp"
#include "collsched/core/bits.hpp"
#include "support/hierarchies.hpp"
#include "support/layouts.hpp"
#include "support/oracle.hpp"
#include "support/parameters.hpp"
#include "support/verified.hpp"

using namespace collsched;

namespace {

template <rank_t Ranks>
constexpr bool proved_at = proved<verify(
    alltoall::hierarchical<>{.ranks = Ranks, .block = 3, .placement = support::awkward_placement<Ranks>()})>;

template <class Outer>
void check_exchange(rank_t p, const block_matrix& matrix, const topology::placement& where) {
    const any_schedule x(alltoall::hierarchical<Outer>{.ranks = p, .block = matrix, .placement = where});
    CHECK(x.contract() == contract{.collective = collective::alltoall, .ranks = p, .blocks = matrix});
    CHECK(support::verified(x) == verdict{});
    bytes_t most = 0;
    for (rank_t r = 0; r < p; ++r) most = std::max(most, matrix.send_extent(r, p) + matrix.recv_extent(r, p));
    if (p * most <= 400) CHECK(support::replays(x, binding::separate));
}

}  // namespace

static_assert(support::has_parameters<alltoall::hierarchical<>>());
static_assert(proved_at<2> && proved_at<3> && proved_at<4>);

TEST_CASE("alltoall::hierarchical: correct for any placement and any matrix") {
    std::size_t turn = 0;
    support::for_each_placement(24, [&](rank_t p, const support::named_placement& on) {
        INFO(on.name, " p=", p);
        for (const auto& [name, matrix] : support::matrices(p, 2)) {
            CAPTURE(name);
            if (p <= 8 || turn++ % 3 == 0) check_exchange<alltoall::pairwise>(p, matrix, on.where);
            if (p <= 4 || turn % 3 == 1) check_exchange<alltoall::bruck>(p, matrix, on.where);
        }
        for (const auto& [name, layout] : support::layouts(p, 2)) {
            CAPTURE(name);
            if (p <= 8 || turn++ % 3 == 0) check_exchange<alltoall::pairwise>(p, layout, on.where);
        }
    });
}

TEST_CASE(
    "alltoall::hierarchical: rounds of all parts, one message per pair of nodes between leaders, scratch for these") {
    support::for_each_placement(32, [](rank_t p, const support::named_placement& on) {
        INFO(on.name, " p=", p);
        const support::crowd crowd(on.where, p);
        const alltoall::hierarchical<> x{.ranks = p, .block = 8, .placement = on.where};
        const metrics_report m = support::measured(x);
        CHECK(m.rounds == crowd.nodes - 1 + 2 * ceil_log2(crowd.fullest));
        std::set<std::pair<rank_t, std::pair<rank_t, rank_t>>> between;
        const rank_groups groups = groups_of(on.where, p);
        bytes_t crossing = 0;
        for (const edge& e : edges(x)) {
            if (groups.group(e.src) == groups.group(e.dst)) continue;
            CHECK(groups.index(e.src) == 0);
            CHECK(groups.index(e.dst) == 0);
            between.insert({e.step, {e.src, e.dst}});
            crossing += e.size;
        }
        CHECK(std::ssize(between) == crowd.nodes * (crowd.nodes - 1));
        bytes_t apart = 0;
        for (rank_t r = 0; r < p; ++r) apart += 8 * (p - groups.size(groups.group(r)));
        CHECK(crossing == apart);
        for (rank_t r = 0; r < p; ++r)
            if (groups.index(r) == 0 && p > 1) CHECK(m.scratch[r] >= 16 * p * groups.size(groups.group(r)));
    });
}

TEST_CASE("alltoall::hierarchical: wrong parameters are reported") {
    support::check_placement_errors(alltoall::hierarchical<>{.block = 8});
    CHECK(check(alltoall::hierarchical<>{.ranks = 4, .block = -1, .placement = support::placed_as("ABBA")}).argument ==
          std::string("block"));
}

TEST_CASE("alltoall::hierarchical: three times the bytes of all ranks are less than 2^63") {
    constexpr bytes_t most = INT64_MAX / 3 / 16;
    const topology::placement where = support::placed_as("ABBA");
    CHECK(!check(alltoall::hierarchical<>{.ranks = 4, .block = most, .placement = where}));
    const argument_error error = check(alltoall::hierarchical<>{.ranks = 4, .block = most + 1, .placement = where});
    CHECK(error.argument == std::string("block"));
    CHECK(error.value == 4 * (most + 1));
    CHECK(error.expected == std::string("3 times the bytes that all ranks send together below 2^63"));
}
