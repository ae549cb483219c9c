#include "collsched/schedule/any_schedule.hpp"

#include <doctest/doctest.h>

#include <utility>

#include "collsched/collective/allgather/bruck.hpp"
#include "collsched/schedule/stored_schedule.hpp"
#include "support/archetypes.hpp"

using namespace collsched;

TEST_CASE("any_schedule: an erased schedule equals the schedule it holds") {
    static_assert(schedule<any_schedule>);
    const allgather::bruck typed{.ranks = 6, .block = 3};
    const any_schedule erased(typed);
    CHECK(materialize(erased) == materialize(typed));
    CHECK(erased.next(2, 1) == lower(typed).next(2, 1));
    CHECK(erased.pacing() == pacing{});
    any_schedule copy = erased;
    any_schedule moved = std::move(copy);
    CHECK(materialize(moved) == materialize(typed));
    moved = any_schedule(support::flat_broadcast{.ranks = 2, .bytes = 1});
    CHECK(moved.ranks == 2);
    CHECK(moved.contract().collective == collective::broadcast);
    CHECK(materialize(erased) == materialize(typed));
}
