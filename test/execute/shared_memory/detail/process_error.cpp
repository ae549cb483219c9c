#include "collsched/execute/shared_memory/detail/process_error.hpp"

#include <doctest/doctest.h>

#include <set>

using namespace collsched;

TEST_CASE("process error: numbers are positive and differ, as transports owe the engine") {
    const std::set<int> numbers = {detail::process_error::peer_died,          detail::process_error::peer_left,
                                   detail::process_error::size_mismatch,      detail::process_error::disagreement,
                                   detail::process_error::withdrawn,          detail::process_error::bad_peer,
                                   detail::process_error::protocol_violation, detail::process_error::combine_failed};
    CHECK(numbers.size() == 8);
    CHECK(*numbers.begin() > 0);
}

TEST_CASE("group error: none unless the system reported a number") {
    CHECK(!detail::group_error{});
    CHECK(detail::group_error{2, "open"});
}

TEST_CASE("process error: the numbers are those that users have seen") {
    using error = detail::process_error;
    static_assert(error::peer_died == 1 && error::peer_left == 2 && error::size_mismatch == 3);
    static_assert(error::disagreement == 4 && error::withdrawn == 5 && error::bad_peer == 6);
    static_assert(error::protocol_violation == 7 && error::combine_failed == 8);
    CHECK((detail::group_error{}.number == 0 && detail::group_error{}.about == nullptr));
}
