#include "collsched/schedule/any_schedule.hpp"

#include <doctest/doctest.h>

#include <utility>

#include "collsched/collective/allgather/bruck.hpp"
#include "collsched/schedule/stored_schedule.hpp"
#include "support/archetypes.hpp"

using namespace collsched;

namespace {

/// An algorithm whose view costs much, as that of a planned tree.
struct costly {
    rank_t ranks = 3;

    static constexpr algorithm_info info = allgather::bruck::info;
    static inline int views = 0;

    auto view() const {
        ++views;
        return lower(allgather::bruck{.ranks = ranks, .block = 1});
    }
    static constexpr void parameters(auto& self, auto f) { f("ranks", self.ranks); }
    bool operator==(const costly&) const = default;
};

}  // namespace

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

TEST_CASE("any_schedule: makes the schedule of an algorithm once") {
    const any_schedule made{costly{}};
    CHECK(costly::views == 1);
    CHECK(made.ranks == 3);
}
