#include "collsched/core/detail/shared.hpp"

#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

using namespace collsched;

namespace {

struct counted {
    int* alive;
    explicit counted(int* n) : alive(n) { ++*alive; }
    counted(counted&& other) noexcept : alive(std::exchange(other.alive, nullptr)) {}
    counted& operator=(counted&&) = delete;
    ~counted() {
        if (alive != nullptr) --*alive;
    }
    bool operator==(const counted& other) const { return alive == other.alive; }
};

}  // namespace

static_assert([] {
    detail::shared<int> a(3);
    const detail::shared<int> b = a;
    a = detail::shared<int>(4);
    const detail::shared<int> c = std::move(a);
    return *b == 3 && *c == 4 && !a && b != c && b == detail::shared<int>(3) && detail::shared<int>() == a;
}());

TEST_CASE("shared: the value lives exactly as long as its last owner") {
    int alive = 0;
    {
        detail::shared<counted> a{counted(&alive)};
        CHECK(alive == 1);
        detail::shared<counted> b = a, c;
        c = b;
        a = {};
        b = std::move(c);
        CHECK(alive == 1);
        CHECK(b->alive == &alive);
        const detail::shared<counted>& itself = b;
        b = itself;
        CHECK(alive == 1);
    }
    CHECK(alive == 0);
}

TEST_CASE("shared: copies are made and dropped on several threads") {
    int alive = 0;
    {
        const detail::shared<counted> held{counted(&alive)};
        std::vector<std::thread> threads;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([held] {
                for (int i = 0; i < 1000; ++i) {
                    const detail::shared<counted> mine = held;
                    CHECK(mine);
                }
            });
        for (auto& t : threads) t.join();
        CHECK(alive == 1);
    }
    CHECK(alive == 0);
}

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
