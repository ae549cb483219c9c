#include "collsched/collective/allreduce/reversals.hpp"

#include <doctest/doctest.h>

#include "collsched/tree.hpp"
#include "support/allreduces.hpp"
#include "support/brief.hpp"
#include "support/verified.hpp"

using namespace collsched;

namespace {

/// In segments of two elements.
template <class Tree>
constexpr auto in_segments = [](rank_t p, bytes_t bytes, bytes_t element) {
    return allreduce::over_tree<Tree>{.ranks = p, .bytes = bytes, .element = element, .of = {.segment = 2 * element}};
};

/// Checks it whole and in segments, and that rounds and messages are those of the reduce and the broadcast.
template <class Tree>
void check_over(bool keeps_order) {
    INFO(Tree::name);
    CHECK(support::check_allreduce(support::of_bytes<allreduce::over_tree<Tree>>, keeps_order, 32) == 32);
    CHECK(support::check_allreduce(in_segments<Tree>, keeps_order, 24) == 24);
    support::check_sums(in_segments<Tree>);
    for (rank_t p = 1; p <= support::most(64); ++p)
        for (const bytes_t segment : {0, 8}) {
            const metrics_report one = support::measured(
                broadcast::over_tree<Tree>{.ranks = p, .bytes = 40, .element = 8, .segment = segment});
            const metrics_report m = support::measured(
                allreduce::over_tree<Tree>{.ranks = p, .bytes = 40, .element = 8, .of = {.segment = segment}});
            CHECK(m.rounds == 2 * one.rounds);
            CHECK(m.messages == 2 * one.messages);
            for (rank_t r = 0; r < p; ++r) {
                CHECK(m.bytes_sent[r] == m.bytes_received[r]);
                CHECK(m.bytes_sent[r] == one.bytes_sent[r] + (r > 0 ? 40 : 0));  // of a single tree: 40 a child
            }
        }
}

}  // namespace

static_assert(support::allreduce_proved_up_to<support::of_bytes<allreduce::over_tree<trees::binomial>>, 9>);
static_assert(support::allreduce_proved_up_to<in_segments<trees::two_tree>, 5>);
static_assert(support::allreduce_proved_up_to<in_segments<trees::in_order_binary>, 5>);

TEST_CASE("allreduce::over_tree: trees in order keep the order of operands") {
    check_over<trees::binomial>(true);
    check_over<trees::chain>(true);
    check_over<trees::in_order_binary>(true);
}

TEST_CASE("allreduce::over_tree: correct over other trees") {
    check_over<trees::binomial_doubling>(false);
    check_over<trees::flat>(false);
    check_over<trees::k_ary>(false);
    check_over<trees::k_nomial>(false);
    check_over<trees::two_tree>(false);
}
