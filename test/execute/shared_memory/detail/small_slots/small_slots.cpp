#include "collsched/execute/shared_memory/detail/small_slots.hpp"

#include <doctest/doctest.h>

#include <set>
#include <vector>

using namespace collsched::detail;

TEST_CASE("small_slots: a number of messages have slots, found by ids that are never used again") {
    constexpr int most = 64;
    small_slots<int> slots(most);
    std::set<std::uint64_t> seen;
    int owner = 0, send = 0;
    for (int round = 0; round < 3; ++round) {
        std::set<std::uint64_t> now;
        while (const std::uint64_t id = slots.new_id()) {
            CHECK((small_slots<int>::is_id(id) && slots.find(id) == nullptr));
            slots.fill(id, &owner, 7, &send);
            CHECK(seen.insert(id).second);
            now.insert(id);
        }
        CHECK((now.size() == most && slots.is_full()));
        for (const std::uint64_t id : now) {
            REQUIRE(slots.find(id) != nullptr);
            CHECK((slots.find(id)->owner == &owner && slots.find(id)->end_count == 7 && slots.find(id)->send == &send));
            slots.fill(id, &owner, 7, nullptr);  // again
        }
        const std::uint64_t one = *now.begin();
        slots.free(one);
        CHECK((slots.find(one) == nullptr && !slots.is_full()));
        const std::uint64_t next = slots.new_id();  // in the same place
        slots.fill(next, nullptr, 0, nullptr);
        CHECK((next != one && slots.find(one) == nullptr && slots.find(next) != nullptr && slots.new_id() == 0));
        CHECK((slots.find(0) == nullptr && slots.find(next + most) == nullptr));
        seen.insert(next);
        int visited = 0;
        slots.for_each([&](const small_slots<int>::slot& s) { ++visited, slots.free(s.id); });
        CHECK(visited == most);
        slots.for_each([](const small_slots<int>::slot&) { FAIL("none is left"); });
    }
    CHECK(!small_slots<int>::is_id(std::uint64_t{1} << 61));
}

TEST_CASE("small_slots: a slot that stays taken is passed over") {
    small_slots<int> slots(8);
    const std::uint64_t kept = slots.new_id();
    slots.fill(kept, nullptr, 0, nullptr);
    std::uint64_t last = kept;
    for (int i = 0; i < 100; ++i) {
        const std::uint64_t id = slots.new_id();
        CHECK((id > last && id <= last + 2 && slots.find(id) == nullptr));
        slots.fill(id, nullptr, 0, nullptr);
        slots.free(id);
        last = id;
    }
    CHECK(slots.find(kept) != nullptr);
}

TEST_CASE("matched_ids: neighbors are kept as bits, in any order") {
    matched_ids ids;
    CHECK(ids.count() == 0);
    for (const std::uint64_t id : {130U, 191U, 128U}) CHECK(ids.add(id));
    CHECK((!ids.add(192) && !ids.add(127)));
    CHECK((ids.count() == 3 && ids.first() == 128 && ids.mask() == (0b101 | std::uint64_t{1} << 63)));
    ids.clear();
    CHECK((ids.count() == 0 && ids.add(127) && ids.first() == 64 && ids.mask() == std::uint64_t{1} << 63));
}
