#include "collsched/collective/allreduce/in_groups.hpp"

#include <doctest/doctest.h>

#include "collsched/collective/allreduce/ring.hpp"
#include "collsched/collective/allreduce/reversals.hpp"
#include "collsched/collective/broadcast/over_tree.hpp"
#include "collsched/tree/binomial.hpp"
#include "collsched/tree/chain.hpp"
#include "support/allreduces.hpp"
#include "support/brief.hpp"
#include "support/verified.hpp"

using namespace collsched;

namespace {

/// Groups of three neighbors, the last one smaller; or groups of every third rank.
constexpr rank_groups threes(rank_t p, bool neighbors) {
    return rank_groups::by_label(p, p, [=](rank_t r) { return neighbors ? r / 3 : r % ((p + 2) / 3); });
}

template <class Inner, class Outer>
constexpr auto by_threes(rank_t p, bytes_t bytes, bytes_t element, bool neighbors) {
    const contract whole{.collective = collective::allreduce, .ranks = p, .bytes = bytes, .element = element};
    const rank_groups groups = threes(p, neighbors);
    return allreduce::in_groups(whole, groups, groups.consecutive(), Inner{}, Outer{});
}

using binomial = broadcast::over_tree<trees::binomial>;
using chain = broadcast::over_tree<trees::chain>;
using outer_chain = allreduce::over_tree<trees::chain>;

static_assert(proved<verify(by_threes<binomial, outer_chain>(5, 3, 1, true))>);
static_assert(proved<verify(by_threes<binomial, allreduce::ring>(5, 3, 1, false), binding::in_place)>);

}  // namespace

TEST_CASE("allreduce::in_groups: the edges are a reduce per group, an allreduce among leaders, a broadcast per group") {
    for (rank_t p = 1; p <= support::most(40); ++p)
        for (const bool neighbors : {true, false})
            for (const auto& [bytes, element] : {support::message_size{0, 1}, {5, 1}, {40, 8}}) {
                const bool in_order = threes(p, neighbors).consecutive();
                CHECK((neighbors || p <= 3) <= in_order);
                contract contract{.collective = collective::allreduce,
                                  .ranks = p,
                                  .bytes = bytes,
                                  .element = element,
                                  .commutative = !in_order};
                support::check_right(by_threes<chain, outer_chain>(p, bytes, element, neighbors), contract);
                support::check_right(by_threes<binomial, outer_chain>(p, bytes, element, neighbors), contract);
                contract.commutative = true;
                support::check_right(by_threes<binomial, allreduce::ring>(p, bytes, element, neighbors), contract);
            }
}

TEST_CASE(
    "allreduce::in_groups: rounds are 2 x inner of the largest group + outer, and only leaders send to other groups") {
    for (rank_t p = 1; p <= support::most(64); ++p)
        for (const bool neighbors : {true, false}) {
            CAPTURE(p);
            const rank_groups groups = threes(p, neighbors);
            const rank_t largest = neighbors ? std::min(p, rank_t{3}) : (p + (p + 2) / 3 - 1) / ((p + 2) / 3);
            const auto x = by_threes<chain, outer_chain>(p, 8, 8, neighbors);
            CHECK(support::measured(x).rounds == 2 * (largest - 1) + 2 * (groups.groups() - 1));
            for (const edge& e : edges(x)) {
                const bool leaders = groups.index(e.src) == 0 && groups.index(e.dst) == 0;
                CHECK((groups.group(e.src) == groups.group(e.dst) || leaders));
                if (!e.is_local()) CHECK(e.from != buffer::input);
            }
        }
}
