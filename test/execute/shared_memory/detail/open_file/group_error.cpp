#include "collsched/execute/shared_memory/detail/open_file.hpp"

#include <doctest/doctest.h>

using namespace collsched;

TEST_CASE("group error: none unless the system reported a number") {
    CHECK(!detail::group_error{});
    CHECK(detail::group_error{2, "open"});
    CHECK((detail::group_error{}.number == 0 && detail::group_error{}.object == nullptr));
}
