#include "collsched/collective/barrier/over_tree.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "collsched/verify/verify.hpp"
#include "support/barriers.hpp"
#include "support/brief.hpp"
#include "support/verified.hpp"

using namespace collsched;

namespace {

template <rank_t... I>
constexpr bool proved_up_to(std::integer_sequence<rank_t, I...>) {
    return (proved<verify(barrier::linear{.ranks = I + 1, .root = I / 2})> && ...);
}

}  // namespace

static_assert(detail::same_text(barrier::linear::info.name, "linear") &&
              detail::same_text(barrier::linear::info.rounds, "2 (p-1)"));
static_assert(proved_up_to(std::make_integer_sequence<rank_t, 33>{}));

TEST_CASE(
    "barrier::linear: 2 (p-1) rounds of one signal, to the root in descending, from it in ascending relative rank") {
    for (rank_t p = 1; p <= support::most(64); ++p)
        for (rank_t root = 0; root < p; root += p < 20 ? 1 : 17) {
            CAPTURE(p);
            CAPTURE(root);
            const barrier::linear b{.ranks = p, .root = root};
            REQUIRE(support::verified(b).ok());
            if (p < 20) CHECK(support::all_ranks_reached(materialize(b)));
            const metrics_report m = support::measured(b);
            CHECK(m.rounds == 2 * (p - 1));
            CHECK(m.signals == 2 * (p - 1));
            for (const edge& e : edges(b)) {
                const bool up = e.step < p - 1;
                CHECK((up ? e.dst : e.src) == root);
                const rank_t other = ((up ? e.src : e.dst) - root + p) % p;
                CHECK(other == (up ? p - 1 - e.step : e.step - (p - 1) + 1));
            }
        }
    CHECK(support::verified(barrier::linear{.ranks = 300}).ok());
}

TEST_CASE("barrier::linear: every signal is needed") {
    for (rank_t p = 1; p <= 12; ++p) support::check_every_signal_counts(barrier::linear{.ranks = p, .root = p - 1});
}

TEST_CASE("barrier::linear: the root must be a rank") {
    CHECK(std::string(check(barrier::linear{.ranks = 2, .root = -1}).argument) == "root");
}
