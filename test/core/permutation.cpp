#include "collsched/core/permutation.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>

using namespace collsched;

constexpr std::array<rank_t, 4> turned{2, 0, 3, 1};
static_assert(permutation(turned).rank(2) == 3 && permutation(turned).virtual_rank(3) == 2);
static_assert(permutation(turned).inverse().rank(3) == 2 &&
              permutation(turned).inverse().inverse() == permutation(turned));
static_assert(!permutation(turned).check(4));

TEST_CASE("permutation: default-constructed, every rank keeps its number, for any number of ranks") {
    constexpr permutation none;
    CHECK(none.rank(5) == 5);
    CHECK(none.virtual_rank(7) == 7);
    CHECK(none.inverse() == none);
    CHECK(!none.check(1));
    CHECK(!none.check(1000));
}

TEST_CASE("permutation: ranks of any integer type are accepted") {
    CHECK(permutation(std::array<int, 3>{2, 0, 1}) == permutation(std::array<rank_t, 3>{2, 0, 1}));
}

TEST_CASE("permutation: lists that are no permutation are reported") {
    CHECK(permutation(turned).check(5) == argument_error{"order", 4, "as many entries as ranks"});
    const std::array<rank_t, 3> twice{1, 0, 1}, beyond{0, 1, 3}, below{0, -1, 2};
    CHECK(permutation(twice).check(3) == argument_error{"order", 1, "every rank once", 2});
    CHECK(permutation(beyond).check(3) == argument_error{"order", 3, "0 to ranks-1", 2});
    CHECK(permutation(below).check(3) == argument_error{"order", -1, "0 to ranks-1", 1});
}

TEST_CASE("permutation: its parameters distinguish it from others") {
    const auto words = [](const permutation& order) {
        std::string all;
        order.describe([&](std::int64_t word) { all += std::to_string(word) + " "; });
        return all;
    };
    CHECK(words(permutation(turned)) == "4 2 0 3 1 ");
    CHECK(words(permutation()) == "0 ");
}
