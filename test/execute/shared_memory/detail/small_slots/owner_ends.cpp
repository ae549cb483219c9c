#include "collsched/execute/shared_memory/detail/small_slots.hpp"

#include <doctest/doctest.h>

#include <array>

using collsched::detail::owner_ends;

TEST_CASE("owner_ends: the last end of each owner is known, in the order of all ends") {
    owner_ends ends;
    std::array<int, 5> owners{};
    CHECK((ends.count() == 0 && ends.last_of(&owners[0]) == 0));
    for (const std::size_t i : {0U, 0U, 1U, 2U, 0U, 1U}) ends.add(&owners[i]);
    CHECK(ends.count() == 6);
    CHECK((ends.last_of(&owners[0]) == 5 && ends.last_of(&owners[1]) == 6 && ends.last_of(&owners[2]) == 4));
    CHECK(ends.last_of(&owners[3]) == 0);
}

TEST_CASE("owner_ends: owners can be forgotten, when there are many") {
    owner_ends ends;
    std::array<int, 300> owners{};
    std::size_t noted = 0;
    while (!ends.is_full()) ends.add(&owners[noted++]);
    CHECK((noted > 32 && noted < 300));
    ends.forget_if([&](const void* owner) { return owner != &owners[3]; });
    CHECK((!ends.is_full() && ends.last_of(&owners[3]) == 4 && ends.last_of(&owners[4]) == 0));
    CHECK(ends.last_of(&owners[noted - 1]) == noted);  // the last one is not forgotten
}
