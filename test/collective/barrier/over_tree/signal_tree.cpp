#include "collsched/collective/barrier/over_tree.hpp"

#include <doctest/doctest.h>

#include <string>

#include "collsched/schedule/edge_views.hpp"
#include "collsched/tree/binomial.hpp"
#include "collsched/tree/chain.hpp"
#include "support/busy_steps.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(schedule<barrier::detail::signal_tree<trees::binomial>>);
static_assert(barrier::detail::signal_tree<trees::binomial>{}.ranks == 1 &&
              barrier::detail::signal_tree<trees::binomial>{}.root == 0);

TEST_CASE("signal_tree: every rank but the root receives one signal, down the edges of the tree") {
    for (rank_t p = 1; p <= 17; ++p)
        for (rank_t root = 0; root < p; root += 3) {
            const barrier::detail::signal_tree<trees::chain> s{p, root};
            CHECK(!check(s));
            CHECK(s.steps() == p - 1);
            for (const edge& e : edges(s)) {
                CHECK(e.is_signal());
                CHECK(e.dst == (e.src + 1) % p);
                CHECK(e.step == (e.src - root + p) % p);
            }
            CHECK(support::measured(s).signals == p - 1);
        }
    CHECK(std::string(check(barrier::detail::signal_tree<trees::chain>{0}).argument) == "ranks");
    CHECK(std::string(check(barrier::detail::signal_tree<trees::chain>{3, 3}).argument) == "root");
}

TEST_CASE("signal_tree: a rank is busy from its first signal to its last") {
    for (rank_t p = 1; p <= 20; ++p)
        for (rank_t root = 0; root < p; ++root)
            CHECK(support::busy_in_used_steps(barrier::detail::signal_tree<trees::binomial>{p, root}));
}
