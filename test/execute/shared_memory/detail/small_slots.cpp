#include "collsched/execute/shared_memory/detail/small_slots.hpp"

#include <doctest/doctest.h>

#include <set>

using namespace collsched::detail;

TEST_CASE("small_slots: a number of messages have slots, found by ids that are never used again") {
    constexpr int most = 100;
    small_slots<int> slots(most);
    std::set<std::uint64_t> seen;
    int owner = 0, send = 0;
    for (int round = 0; round < 3; ++round) {
        std::set<std::uint64_t> now;
        while (!slots.is_full()) {
            const std::uint64_t id = slots.new_id();
            CHECK((small_slots<int>::is_id(id) && slots.find(id) == nullptr));
            slots.fill(id, &owner, 7, &send);
            CHECK(seen.insert(id).second);
            now.insert(id);
        }
        CHECK(now.size() == most);
        for (const std::uint64_t id : now) {
            REQUIRE(slots.find(id) != nullptr);
            CHECK((slots.find(id)->owner == &owner && slots.find(id)->since == 7 && slots.find(id)->send == &send));
        }
        const std::uint64_t one = *now.begin();
        slots.free(one);
        CHECK((slots.find(one) == nullptr && !slots.is_full()));
        const std::uint64_t next = slots.new_id();  // in the same place
        slots.fill(next, nullptr, 0, nullptr);
        CHECK((next != one && slots.find(one) == nullptr && slots.find(next) != nullptr && slots.is_full()));
        seen.insert(next);
        int visited = 0;
        slots.for_each([&](const small_slots<int>::slot& s) { ++visited, slots.free(s.id); });
        CHECK(visited == most);
    }
    slots.fill(slots.new_id(), nullptr, 0, nullptr);
    slots.free_all();
    slots.for_each([](const small_slots<int>::slot&) { FAIL("none is left"); });
    CHECK(!small_slots<int>::is_id(std::uint64_t{1} << 61));
}
