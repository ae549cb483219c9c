#include "collsched/core/checked.hpp"

#include <doctest/doctest.h>

#include <limits>

using namespace collsched;

TEST_CASE("checked: sums and products record overflow") {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    static_assert((checked(most - 1) + 1).ok() && (checked(most - 1) + 1).value() == most);
    static_assert(!(checked(most) + 1).ok());
    static_assert(!(checked(most / 2 + 1) * 2).ok());
    static_assert((checked(std::int64_t{1} << 31) * (std::int64_t{1} << 31)).ok());
    static_assert(!(checked(most) + 1 + -5).ok(), "once wrapped, always wrapped");
    static_assert(!(checked(0) * (checked(most) + 1)).ok());
    static_assert(detail::saturated(checked(most) + 1) == most && detail::saturated(checked(2) * 3) == 6);
    static_assert((checked(5) + -7).value() == -2 && (checked(5) * -7).value() == -35 && checked(3).ok());
    static_assert(!(checked(most) + 1 + checked(0)).ok() && !(checked(0) + (checked(most) + 1)).ok());
    static_assert(!((checked(most) + 1) * 0).ok());
    static_assert(!(checked(std::numeric_limits<std::int64_t>::min()) * -1).ok());
}
