#include "collsched/collective/scan/detail/in_phases.hpp"

#include <doctest/doctest.h>

#include <set>
#include <type_traits>

#include "collsched/collective/exscan/recursive_doubling.hpp"
#include "collsched/collective/scan/butterfly.hpp"
#include "collsched/collective/scan/recursive_doubling.hpp"
#include "collsched/schedule/edge_views.hpp"
#include "support/verified.hpp"

using namespace collsched;
using scan::detail::in_phases_of;

namespace {

/// The steps of all messages.
std::set<step_t> rounds_of(const auto& x) {
    std::set<step_t> steps;
    for (const edge& e : edges(x))
        if (!e.is_local()) steps.insert(e.step);
    return steps;
}

template <class Prefix>
void check_rounds() {
    for (rank_t longest = 1; longest <= 33; ++longest) {
        const Prefix whole{.ranks = longest, .bytes = 8};
        const std::set<step_t> rounds = rounds_of(whole);
        for (rank_t p = 1; p <= longest; ++p) {
            CAPTURE(longest);
            CAPTURE(p);
            const auto part = in_phases_of(Prefix{.ranks = p, .bytes = 8}, longest);
            CHECK(support::verified(part).ok());
            CHECK(part.steps() <= lower(whole).steps());
            for (const step_t round : rounds_of(part)) CHECK(rounds.contains(round));
        }
    }
}

}  // namespace

TEST_CASE("in_phases: parts on different numbers of ranks have their rounds at the same time") {
    check_rounds<exscan::recursive_doubling>();
    check_rounds<exscan::butterfly>();
    check_rounds<exscan::doubling_123>();
    check_rounds<scan::butterfly>();
    check_rounds<scan::recursive_doubling>();
}

TEST_CASE("in_phases: a schedule without phases is unchanged, and others have a fingerprint of their own") {
    const scan::recursive_doubling x{.ranks = 5, .bytes = 8};
    static_assert(std::is_same_v<decltype(in_phases_of(x, 7)), detail::schedule_of<scan::recursive_doubling>>);
    const exscan::recursive_doubling y{.ranks = 2, .bytes = 8};
    CHECK(in_phases_of(y, 3).fingerprint() != in_phases_of(y, 4).fingerprint());
}
