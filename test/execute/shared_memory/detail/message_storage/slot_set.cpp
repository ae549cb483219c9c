#include "collsched/execute/shared_memory/detail/message_storage.hpp"

#include <doctest/doctest.h>

using collsched::detail::slot_set;

TEST_CASE("slot_set: the lowest that is free is taken, until there is none") {
    for (const int count : {1, 32, 64, 200, 256}) {
        slot_set slots(count);
        CHECK((slots.count() == count && slots.used_count() == 0));
        for (int i = 0; i < count; ++i) {
            REQUIRE(slots.take() == i);
            CHECK(slots.used_count() == i + 1);
        }
        CHECK(slots.take() == -1);
        for (const int place : {count - 1, count / 2, 0}) {
            slots.free(place);
            CHECK(slots.used_count() == count - 1);
            CHECK(slots.take() == place);
            CHECK(slots.take() == -1);
        }
        for (int i = count; i-- > 0;)
            if (i % 3 != 0) slots.free(i);
        for (int i = 0; i < count; ++i)
            if (i % 3 != 0) CHECK(slots.take() == i);
        CHECK((slots.take() == -1 && slots.used_count() == count));
    }
}
