#include "collsched/verify/detail/operands.hpp"

#include <doctest/doctest.h>

using namespace collsched::detail;

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
