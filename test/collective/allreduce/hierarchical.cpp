#include "collsched/collective/allreduce/hierarchical.hpp"

#include <doctest/doctest.h>

#include <string>

#include "collsched/collective/allreduce/rabenseifner.hpp"
#include "support/allreduces.hpp"
#include "support/parameters.hpp"
#include "support/placements.hpp"
#include "support/verified.hpp"

using namespace collsched;
using support::placed_as;
using topology::placement;

namespace {

template <rank_t Ranks>
constexpr bool proved_at =
    proved<verify(allreduce::hierarchical<>{.ranks = Ranks, .bytes = 4, .placement = placement::cyclic(Ranks, 2)})> &&
    proved<verify(
        allreduce::hierarchical<>{.ranks = Ranks, .bytes = 6, .element = 2, .placement = placement::block(Ranks, 2)},
        binding::in_place)>;

}  // namespace

static_assert(support::has_parameters<allreduce::hierarchical<>>());
static_assert(proved_at<2> && proved_at<3> && proved_at<4>);

TEST_CASE(
    "allreduce::hierarchical: correct for any placement, same bits on all ranks, in order where nodes hold neighbors") {
    support::for_each_placement(32, [](rank_t p, const support::named_placement& on) {
        CAPTURE(on.name);
        const bool keeps_order = support::crowd(on.where, p).neighbors();
        for (const auto& [bytes, element] : {support::message_size{0, 1}, {9, 3}, {40, 8}}) {
            const contract contract{.collective = collective::allreduce,
                                    .ranks = p,
                                    .bytes = bytes,
                                    .element = element,
                                    .commutative = !keeps_order};
            support::check_right(
                allreduce::hierarchical<>{.ranks = p, .bytes = bytes, .element = element, .placement = on.where},
                contract);
        }
    });
    for (const char* seats : {"AAAA", "AABB", "ABBA", "ABAB", "ABCD"})
        support::check_sums([&](rank_t p, bytes_t bytes, bytes_t element) {
            return allreduce::hierarchical<>{
                .ranks = p, .bytes = bytes, .element = element, .placement = placed_as(seats)};
        });
}

TEST_CASE("allreduce::hierarchical: an allreduce among nodes that reorders operands reorders them") {
    support::for_each_placement(24, [](rank_t p, const support::named_placement& on) {
        CAPTURE(on.name);
        const allreduce::hierarchical<allreduce::rabenseifner> x{
            .ranks = p, .bytes = 40, .element = 8, .placement = on.where};
        support::check_right(
            x, {.collective = collective::allreduce, .ranks = p, .bytes = 40, .element = 8, .commutative = true});
    });
}

TEST_CASE("allreduce::hierarchical: rounds of recursive doubling among nodes + 2 x binomial tree of the largest node") {
    support::for_each_placement(32, [](rank_t p, const support::named_placement& on) {
        INFO(on.name, " p=", p);
        const support::crowd crowd(on.where, p);
        const allreduce::hierarchical<> x{.ranks = p, .bytes = 8, .placement = on.where};
        const metrics_report m = support::measured(x);
        CHECK(m.rounds == support::measured(allreduce::recursive_doubling{.ranks = crowd.nodes, .bytes = 8}).rounds +
                              2 * ceil_log2(crowd.fullest));
        // A leader receives the most: the messages of the ranks of its node and those of the other leaders.
        const rank_t leads = ceil_log2(crowd.fullest), meets = ceil_log2(crowd.nodes) + 1;
        for (rank_t r = 0; r < p; ++r) CHECK(m.bytes_received[r] <= 8 * (leads + meets));
    });
}

TEST_CASE("allreduce::hierarchical: wrong parameters are reported") {
    using x = allreduce::hierarchical<>;
    CHECK(check(x{.ranks = 0, .bytes = 8}).argument == std::string("ranks"));
    CHECK(check(x{.ranks = 3, .bytes = 8, .placement = placed_as("ABBA")}).argument == std::string("placement"));
    CHECK(check(x{.ranks = 4, .bytes = -8, .placement = placed_as("ABBA")}).argument == std::string("bytes"));
    CHECK(check(x{.ranks = 4, .bytes = 8, .element = 3, .placement = placed_as("ABBA")}).argument ==
          std::string("element"));
    CHECK(check(x{.ranks = 4, .bytes = 8, .placement = placement::block(4, 0)}).argument == std::string("nodes"));
    CHECK(fingerprint(x{.ranks = 4, .bytes = 8, .placement = placed_as("ABBA")}) !=
          fingerprint(x{.ranks = 4, .bytes = 8, .placement = placed_as("ABAB")}));
}
