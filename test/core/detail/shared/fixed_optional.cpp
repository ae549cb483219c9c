#include "collsched/core/detail/shared.hpp"

#include <doctest/doctest.h>

#include <string>
#include <type_traits>

using namespace collsched;
using detail::fixed_optional;

static_assert(!std::is_copy_assignable_v<fixed_optional<int>> && std::is_copy_constructible_v<fixed_optional<int>>);

TEST_CASE("fixed_optional: holds the value that it was made of, and so do its copies") {
    const fixed_optional<std::string> text(std::string(40, 'x'));
    const fixed_optional<std::string> copy(text);
    CHECK(text);
    CHECK(copy);
    CHECK(*copy == std::string(40, 'x'));
    CHECK(&*copy != &*text);
}

TEST_CASE("fixed_optional: none by default, and copies of none") {
    const fixed_optional<std::string> none;
    CHECK(!none);
    CHECK(!fixed_optional<std::string>(none));
}

TEST_CASE("fixed_optional: a constant expression, also of a type without default constructor") {
    struct number {
        int value;
        constexpr explicit number(int n) : value(n) {}
        constexpr number(const number& other) = default;
    };
    constexpr fixed_optional<number> seven{number(7)};
    constexpr fixed_optional<number> copy(seven), none;
    static_assert(copy && (*copy).value == 7 && !none);
}
