#include "collsched/topology/placement.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace collsched;
using topology::placement;

namespace {

std::vector<rank_t> seats(const placement& where) {
    std::vector<rank_t> all;
    for (rank_t r = 0; r < where.ranks(); ++r) all.push_back(where.computer(r));
    return all;
}

using list = std::vector<rank_t>;

}  // namespace

static_assert(placement::block(5, 2).computer(3) == 1 && placement::cyclic(5, 2).computer(3) == 1);

TEST_CASE("block, cyclic, list") {
    CHECK(seats(placement::block(8, 3)) == list{0, 0, 0, 1, 1, 1, 2, 2});
    CHECK(seats(placement::block(3, 8)) == list{0, 1, 2});
    CHECK(seats(placement::cyclic(8, 3)) == list{0, 1, 2, 0, 1, 2, 0, 1});
    CHECK(seats(placement::list(list{1, 0, 0, 1}, 2)) == list{1, 0, 0, 1});
    const auto residents = placement::block(8, 3).residents();
    CHECK(residents.size() == 3);
    CHECK(residents[0] == 3);
    CHECK(residents[2] == 2);
    CHECK(placement::cyclic(4, 4) == placement::block(4, 4));
}

TEST_CASE("what is no placement is told") {
    CHECK(placement::block(0, 3).check().value == 0);
    CHECK(std::string(placement::cyclic(3, 0).check().argument) == "computers");
    CHECK(placement::list(list{0, 2}, 2).check().index == 1);
    CHECK(placement::list(list{0, -1}, 2).check().value == -1);
    CHECK(!placement::list(list{0, 1}, 2).check());
    CHECK(placement().ranks() == 0);
}
