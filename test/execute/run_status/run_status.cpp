#include "collsched/execute/run_status.hpp"

#include <doctest/doctest.h>

using namespace collsched;

TEST_CASE("run_status: the default state is idle") {
    static_assert(!run_status{}.done() && !run_status{}.failed());
    static_assert(run_status{.state = run_status::phase::failed}.failed());
    CHECK(run_status{}.peer == -1);
}

TEST_CASE("run_status: numbers of errors, and the default status") {
    static_assert(missing_reduction == -1 && small_buffer == -2 && stalled == -3 && bad_plan == -4);
    static_assert(not_in_place == -5 && already_running == -6 && cancelled == -7 && not_commutative == -8);
    static_assert(timed_out == -9 && unknown_completion == -10 && element_mismatch == -11);
    constexpr run_status none;
    static_assert(none.state == run_status::phase::idle && none.error == 0 && none.step == -1 && none.rank == 0);
    static_assert(none.peer == -1 && !none.running());
    static_assert(run_status{.state = run_status::phase::running}.running() && run_status{.state = run_status::phase::done}.done());
    CHECK(!none.failed());
}
