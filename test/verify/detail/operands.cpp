#include "collsched/verify/detail/operands.hpp"

#include <doctest/doctest.h>

#include <map>

#include "support/layouts.hpp"

using namespace collsched;
using namespace collsched::detail;

/// Whether each pair of neighbors gives the same operand when it is combined again, for any number of pairs.
constexpr bool pairs_are_found_again() {
    operand_table table(40, false);
    for (rank_t pairs = 1; pairs < 40; ++pairs) {
        const operand_id made = table.combine(pairs - 1, pairs);
        if (made != table.combine(pairs - 1, pairs)) return false;
    }
    return true;
}
static_assert(pairs_are_found_again());

TEST_CASE("operands: neighboring operands join in order") {
    operand_table table(5, false);
    const operand_id ab = table.combine(0, 1), cd = table.combine(2, 3);
    CHECK(table.is(ab, 0, 2));
    CHECK(table.is(table.combine(ab, cd), 0, 4));
    const operand_id wrong = table.combine(cd, ab);
    CHECK(!table.is(wrong, 0, 4));
    CHECK(table.has_the_ranks(wrong, 0, 4));
    CHECK(!table.has_the_ranks(wrong, 0, 5));
    CHECK(table.is(3, 3, 4));
    CHECK(!table.is(3, 3, 5));
    CHECK(!table.is(ab, 0, 3));
    CHECK(!table.is(cd, 0, 4));
    CHECK(!table.is(cd, 2, 3));
    CHECK(!table.is(cd, 1, 4));
}

TEST_CASE("operands: an operand has the ranks of an interval if it has all of them and no other") {
    operand_table table(6, false);
    const operand_id ends = table.combine(0, 3), middle = table.combine(2, 1);
    CHECK(table.has_the_ranks(middle, 1, 3));
    CHECK(!table.has_the_ranks(middle, 0, 2));
    CHECK(!table.has_the_ranks(middle, 2, 4));
    CHECK(!table.has_the_ranks(middle, 1, 4));
    CHECK(!table.has_the_ranks(middle, 0, 3));
    CHECK(!table.has_the_ranks(ends, 1, 3));
    CHECK(!table.has_the_ranks(ends, 0, 2));
    CHECK(!table.has_the_ranks(ends, 2, 4));
    CHECK(table.has_the_ranks(table.combine(ends, middle), 0, 4));
    CHECK(table.has_the_ranks(4, 4, 5));
    CHECK(!table.has_the_ranks(4, 4, 6));
}

TEST_CASE("operands: operands that commute are in order in any order") {
    operand_table table(5, true);
    const operand_id odd = table.combine(3, 1), even = table.combine(4, table.combine(2, 0));
    CHECK(!table.is(odd, 1, 4));
    CHECK(table.is(table.combine(odd, even), 0, 5));
}

TEST_CASE("operands: equal combinations have one id, however they were made") {
    operand_table commuting(6, true);
    CHECK(commuting.combine(3, 1) == commuting.combine(1, 3));
    const operand_id one = commuting.combine(commuting.combine(0, 2), commuting.combine(3, 5));
    CHECK(commuting.combine(5, commuting.combine(2, commuting.combine(3, 0))) == one);
    CHECK(commuting.combine(one, 1) != one);
    operand_table ordered(6, false);
    CHECK(ordered.combine(ordered.combine(0, 3), 1) == ordered.combine(0, ordered.combine(3, 1)));
    CHECK(ordered.combine(1, 3) != ordered.combine(3, 1));
    const operand_id next = ordered.combine(4, 5);
    CHECK(ordered.is(next, 4, 6));
    CHECK(ordered.is(ordered.combine(3, next), 3, 6));
}

TEST_CASE("operands: no operand enters twice") {
    for (const bool commutative : {false, true}) {
        operand_table table(4, commutative);
        const operand_id ab = table.combine(0, 1);
        CHECK(table.combine(ab, 1) == -1);
        CHECK(table.combine(2, 2) == -1);
        CHECK(table.combine(table.combine(3, 2), ab) >= 0);
        CHECK(table.is(ab, 0, 2));
    }
}

TEST_CASE("operands: alternating intervals are one in the end") {
    constexpr rank_t ranks = 200;
    operand_table table(ranks, true);
    operand_id even = 0, odd = 1;
    for (rank_t r = 2; r < ranks; r += 2) even = table.combine(r, even), odd = table.combine(odd, r + 1);
    rank_t intervals = 0;
    table.visit(even, [&](rank_t first, rank_t last) { intervals += last - first; });
    CHECK(intervals == ranks / 2);
    CHECK(table.is(table.combine(odd, even), 0, ranks));
    CHECK(table.combine(even, table.combine(odd, even)) == -1);
}

TEST_CASE("expression_table: equal trees have one id, other brackets another") {
    expression_table table(4, false);
    const operand_id left = table.combine(table.combine(0, 1), 2), right = table.combine(0, table.combine(1, 2));
    CHECK(left != right);
    CHECK(left == table.combine(table.combine(0, 1), 2));
    CHECK(table.is(left, 0, 3));
    CHECK(table.is(right, 0, 3));
    CHECK(!table.is(left, 0, 4));
    CHECK(table.size() == 4 + 4);
    CHECK(table.left(left) == table.combine(0, 1));
    CHECK(table.right(left) == 2);
}

TEST_CASE("expression_table: the order of parts matters unless the operator commutes") {
    for (const bool commutative : {false, true}) {
        expression_table table(3, commutative);
        CHECK((table.combine(0, 1) == table.combine(1, 0)) == commutative);
        CHECK((table.combine(2, table.combine(0, 1)) == table.combine(table.combine(1, 0), 2)) == commutative);
        CHECK(table.is(table.combine(1, 0), 0, 2) == commutative);
        CHECK(table.has_the_ranks(table.combine(1, 0), 0, 2));
    }
}

TEST_CASE("expression_table: a rank is not combined twice") {
    expression_table table(3, true);
    CHECK(table.combine(table.combine(0, 1), 1) == -1);
    CHECK(table.combine(2, 2) == -1);
    CHECK(table.size() == 3 + 1);
}

TEST_CASE("expression_table: hundreds of trees keep their ids") {
    const operand_id ranks = 300;
    expression_table table(ranks, false);
    operand_id chain = 0;
    for (operand_id r = 1; r < ranks; ++r) {
        const operand_id next = table.combine(chain, r);
        CHECK(next == ranks + r - 1);
        CHECK(table.left(next) == chain);
        CHECK(table.right(next) == r);
        chain = next;
    }
    CHECK(table.is(chain, 0, ranks));
    CHECK(table.combine(0, 1) == ranks);
}

using collsched::detail::hash_index;

namespace {

constexpr bool finds_what_was_added() {
    hash_index index;
    for (std::int64_t n = 0; n < 40; ++n) index.add(static_cast<std::uint64_t>(n % 7), n);
    for (std::int64_t n = 0; n < 40; ++n)
        if (index.find(static_cast<std::uint64_t>(n % 7), [&](std::int64_t found) { return found == n; }) != n)
            return false;
    return index.find(3, [](std::int64_t found) { return found == 4; }) == -1;
}
static_assert(finds_what_was_added());

}  // namespace

TEST_CASE("hash_index: numbers are found by their hashes, also if many share one") {
    CHECK(hash_index().find(0, [](std::int64_t) { return true; }) == -1);
    support::random_source random(5);
    hash_index index;
    std::multimap<std::uint64_t, std::int64_t> all;
    for (std::int64_t n = 0; n < 3000; ++n) {
        const auto hash = static_cast<std::uint64_t>(random.below(700)) << (n % 40);
        index.add(hash, n);
        all.emplace(hash, n);
    }
    for (const auto& [hash, number] : all)
        REQUIRE(index.find(hash, [wanted = number](std::int64_t n) { return n == wanted; }) == number);
    for (std::uint64_t hash = 0; hash < 700; ++hash) {
        std::size_t asked = 0;
        REQUIRE(index.find(hash, [&](std::int64_t n) {
            REQUIRE(all.find(hash) != all.end());
            ++asked;
            return n < 0;
        }) == -1);
        REQUIRE(asked == all.count(hash));
    }
}
