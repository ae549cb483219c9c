#include "collsched/execute/detail/ready_list.hpp"

#include <doctest/doctest.h>

using namespace collsched;

namespace {

detail::ready_list list_of(std::int64_t room, std::int64_t limit) {
    detail::ready_list list;
    list.nodes = owned_array<std::int64_t>(room);
    list.limit = limit;
    return list;
}

}  // namespace

TEST_CASE("ready_list: nodes are taken in the order in which they come, after those of every start") {
    detail::ready_list list = list_of(3, 0);
    const owned_array<std::int64_t> waits(9);
    list.begin_with(7);
    for (int start = 0; start < 2; ++start) {
        list.restart();
        list.push(2);
        CHECK((list.take(waits) == 7 && list.take(waits) == 2 && list.take(waits) == -1));
        list.push(5);
        CHECK((list.take(waits) == 5 && list.take(waits) == -1));
    }
}

TEST_CASE("ready_list: with a limit only the head is taken, when it waits for nothing and few are in flight") {
    detail::ready_list list = list_of(2, 1);
    owned_array<std::int64_t> waits(2);
    waits[0] = 1;
    list.begin_with(0);
    list.begin_with(1);
    list.restart();
    list.push(1);  // is there already
    CHECK(list.take(waits) == -1);
    waits[0] = 0;
    CHECK(list.take(waits) == 0);
    list.in_flight = 1;
    CHECK(list.take(waits) == -1);
    list.in_flight = 0;
    CHECK((list.take(waits) == 1 && list.take(waits) == -1));
}
