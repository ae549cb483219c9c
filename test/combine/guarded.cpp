#include "collsched/combine/guarded.hpp"

#include <doctest/doctest.h>

#include "collsched/core/error.hpp"
#include "collsched/verify/verify.hpp"
#include "support/answers.hpp"
#include "support/composed.hpp"
#include "support/samples.hpp"
#include "support/verified.hpp"

using namespace collsched;
using support::all_edges;

namespace {

constexpr error mistake{"placement", 7, "as many entries as ranks"};

}  // namespace

static_assert(schedule<guarded_schedule<schedule_of<allgather::ring>>>);
static_assert(proved<verify(guarded(error{}, allgather::ring{.ranks = 5, .block = 3}))>::value);
static_assert(check(guarded(mistake, allgather::ring{.ranks = 5, .block = 3})) == mistake);

TEST_CASE("without a mistake nothing is changed") {
    for (const rank_t p : {1, 2, 5, 8})
        for (const auto& [name, s] : support::samples(p)) {
            INFO(name);
            const auto same = guarded(error{}, s);
            CHECK(!check(same));
            CHECK(same.steps() == s.steps());
            CHECK(same.contract() == s.contract());
            CHECK(same.pacing() == s.pacing());
            CHECK(same.fingerprint() == s.fingerprint());
            CHECK(all_edges(same) == all_edges(s));
            CHECK(support::broken_answer(same) == "");
            for (rank_t r = 0; r < p; ++r) {
                CHECK(same.scratch(r) == s.scratch(r));
                CHECK(same.staging(r) == s.staging(r));
            }
        }
}

TEST_CASE("a mistake is told before anything that is wrong with the schedule itself") {
    const allgather::ring right{.ranks = 5, .block = 3}, wrong{.ranks = 5, .block = -3};
    CHECK(check(guarded(mistake, right)) == mistake);
    CHECK(check(guarded(mistake, wrong)) == mistake);
    CHECK(check(guarded(error{}, wrong)) == check(wrong));
    const error other{"root", 9, "0 to ranks-1"};
    CHECK(check(guarded(other, guarded(mistake, right))) == other);
    CHECK(check(guarded(error{}, guarded(mistake, right))) == mistake);
}

TEST_CASE("whoever works on it refuses the mistake, also behind other calls") {
    const allgather::ring ring{.ranks = 5, .block = 3};
    const contract whole = lower(ring).contract();
    const auto told = [](const auto& x) {
        try {
            (void)support::verified(x);
        } catch (const bad_argument& refused) {
            return refused.which();
        }
        return error{};
    };
    CHECK(told(guarded(mistake, ring)) == mistake);
    CHECK(told(any_schedule(guarded(mistake, ring))) == mistake);
    CHECK(told(then(ring, guarded(mistake, ring))) == mistake);
    CHECK(told(place(guarded(mistake, ring), support::as_it_is, whole)) == mistake);
    CHECK(told(guarded(error{}, ring)) == error{});
}
