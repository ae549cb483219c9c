#include "collsched/execute/shared_memory/process_error.hpp"

#include <doctest/doctest.h>

#include <set>

using namespace collsched;

TEST_CASE("process error: numbers are positive and differ, as transports owe the engine") {
    const std::set<int> numbers = {process_error::peer_died,         process_error::peer_left,
                                   process_error::size_mismatch,     process_error::disagreement,
                                   process_error::withdrawn,         process_error::bad_peer,
                                   process_error::protocol_violation};
    CHECK(numbers.size() == 7);
    CHECK(*numbers.begin() > 0);
}

TEST_CASE("group error: none unless the system reported a number") {
    CHECK(!group_error{});
    CHECK(group_error{2, "open"});
}
