#include "collsched/execute/detail/communicator_tables.hpp"

#include <doctest/doctest.h>

#include <set>
#include <vector>

#include "support/layouts.hpp"

using namespace collsched;

static_assert(detail::communicator_id().value() == 1);
static_assert(detail::communicator_id().child(0).value() == 0b11 && detail::communicator_id().child(1).value() == 0b1010);
static_assert(detail::communicator_id().child(2).value() == 0b1011 && detail::communicator_id().child(3).value() == 0b100100);
static_assert(detail::communicator_id(5) != detail::communicator_id(6) && detail::communicator_id(5) == detail::communicator_id(5));
static_assert(!detail::communicator_id(0).valid() && !detail::communicator_id(std::uint64_t{1} << 63).valid());
static_assert(detail::communicator_id((std::uint64_t{1} << 63) - 1).valid());

TEST_CASE("detail::communicator_id: ids of all paths differ") {
    std::set<std::uint64_t> seen{detail::communicator_id().value()};
    std::vector<detail::communicator_id> level{detail::communicator_id()};
    for (int depth = 0; depth < 4; ++depth) {
        std::vector<detail::communicator_id> next;
        for (const detail::communicator_id parent : level)
            for (std::uint64_t n = 0; n < 17; ++n) {
                next.push_back(parent.child(n));
                REQUIRE(next.back().valid());
                CHECK(seen.insert(next.back().value()).second);
            }
        level = next;
    }
    CHECK(seen.size() == 1 + 17 + 289 + 4913 + 83521);
}

TEST_CASE("detail::communicator_id: the bounds are 62 levels of first children, and 2^31 - 1 children of the first one") {
    detail::communicator_id id;
    for (int level = 0; level < 62; ++level) id = id.child(0);
    CHECK(id.valid());
    CHECK(id.value() == (std::uint64_t{1} << 63) - 1);
    CHECK(!id.child(0).valid());
    CHECK(!id.child(0).child(0).valid());
    const std::uint64_t last = (std::uint64_t{1} << 31) - 2;
    CHECK(detail::communicator_id().child(last).valid());
    CHECK(!detail::communicator_id().child(last + 1).valid());
    CHECK(!detail::communicator_id().child(~std::uint64_t{0}).valid());
}
