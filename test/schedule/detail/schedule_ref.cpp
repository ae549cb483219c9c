#include "collsched/schedule/detail/schedule_ref.hpp"

#include <doctest/doctest.h>

#include <type_traits>
#include <vector>

#include "collsched/collective/allgather/ring.hpp"
#include "collsched/collective/allreduce/rabenseifner.hpp"
#include "collsched/schedule/any_schedule.hpp"
#include "collsched/schedule/edge_views.hpp"

using namespace collsched;
using namespace collsched::detail;

static_assert(schedule<schedule_ref>);

namespace {

template <schedule S>
std::vector<edge> edges_of(const S& s) {
    std::vector<edge> all;
    for (rank_t r = 0; r < s.ranks; ++r) {
        for (const edge& e : program(s, r)) all.push_back(e);
    }
    return all;
}

template <schedulable X>
void check_answers(const X& x) {
    const auto& s = lower(x);
    schedule_ref::visit(s, [&](const schedule_ref& any) {
        CHECK(any.ranks == s.ranks);
        CHECK(any.steps() == s.steps());
        CHECK(any.pacing() == s.pacing());
        CHECK(any.contract() == s.contract());
        CHECK(any.check().value == s.check().value);
        CHECK(any.fingerprint() == s.fingerprint());
        for (rank_t r = 0; r < s.ranks; ++r) {
            CHECK(any.scratch(r) == s.scratch(r));
            CHECK(any.staging(r) == s.staging(r));
            for (step_t k = 0; k < s.steps(); ++k) CHECK(any.next(r, k) == s.next(r, k));
        }
        CHECK(edges_of(any) == edges_of(s));
    });
}

constexpr step_t steps_through_reference() {
    return schedule_ref::visit(lower(allgather::ring{.ranks = 5, .block = 2}),
                               [](const schedule_ref& any) { return any.steps(); });
}
static_assert(steps_through_reference() == 4);

}  // namespace

TEST_CASE("schedule_ref: every member returns the value of the schedule") {
    check_answers(allgather::ring{.ranks = 6, .block = 3});
    check_answers(allreduce::rabenseifner{.ranks = 6, .bytes = 40});
    check_answers(any_schedule(allreduce::rabenseifner{.ranks = 5, .bytes = 40}));
}

TEST_CASE("schedule_ref: an owner of any type is referred to directly") {
    const any_schedule owner(allgather::ring{.ranks = 6, .block = 3});
    schedule_ref::visit(owner, [](const auto& any) {
        static_assert(std::is_same_v<decltype(any), const schedule_ref&>);
        schedule_ref::visit(any, [&](const schedule_ref& again) { CHECK(again.steps() == any.steps()); });
    });
}
