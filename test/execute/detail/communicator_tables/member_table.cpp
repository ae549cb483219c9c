#include "collsched/execute/detail/communicator_tables.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace collsched;
using detail::member_table;

TEST_CASE("member_table: translates both ways") {
    const std::vector<rank_t> list{4, 0, 3};
    CHECK(!member_table::check(5, list));
    const member_table table(5, list);
    CHECK(std::vector(table.members.begin(), table.members.end()) == list);
    CHECK(std::vector(table.rank_of.begin(), table.rank_of.end()) == std::vector<rank_t>{1, -1, -1, 2, 0});
}

TEST_CASE("member_table: reports ranks out of range and ranks that are listed twice") {
    const auto error = [](rank_t ranks, const std::vector<rank_t>& list) {
        return std::string(member_table::check(ranks, list).text().c_str());
    };
    CHECK(error(3, {0, 3}) == "members[1]: got 3, expected a rank, 0 .. ranks-1");
    CHECK(error(3, {-1}) == "members[0]: got -1, expected a rank, 0 .. ranks-1");
    CHECK(error(3, {2, 0, 2}) == "members[2]: got 2, expected each rank at most once");
    CHECK(error(0, {}) == "ranks: got 0, expected 1 or more");
    CHECK(error(-4, {}) == "ranks: got -4, expected 1 or more");
    CHECK(error(3, {}) == "no error");
}
