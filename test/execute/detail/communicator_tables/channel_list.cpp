#include "collsched/execute/detail/communicator_tables.hpp"

#include <doctest/doctest.h>

using namespace collsched;
using detail::channel_list;

TEST_CASE("channel_list: opens the lowest closed channel, with the epoch that it was closed with") {
    channel_list list(3);
    for (std::uint64_t i = 1; i <= 3; ++i) {
        const channel_list::channel opened = list.open();
        CHECK(opened.number == i);
        CHECK(opened.epoch == 0);
    }
    CHECK(list.open().number == 0);
    CHECK(list.close(3, 7));
    CHECK(list.close(2, 5));
    CHECK(list.open().number == 2);
    const channel_list::channel again = list.open();
    CHECK(again.number == 3);
    CHECK(again.epoch == 7);
    CHECK(list.open().number == 0);
}

TEST_CASE("channel_list: rejects channels that are not open, and epochs that have been") {
    channel_list list(2);
    CHECK(!list.close(0, 0));
    CHECK(!list.close(1, 0));
    CHECK(list.open().number == 1);
    CHECK(list.close(1, 4));
    CHECK(!list.close(1, 4));
    CHECK(list.open().epoch == 4);
    CHECK(!list.close(1, 3));
    CHECK(list.close(1, 4));
    CHECK(!list.close(~std::uint64_t{0}, 4));
    CHECK(channel_list(0).open().number == 0);
}

TEST_CASE("channel_list: without channels none opens, and the epoch of an opening may be that of the close") {
    CHECK(channel_list().open().number == 0);
    CHECK((channel_list::channel().number == 0 && channel_list::channel().epoch == 0));
    channel_list list(2);
    CHECK(list.open().number == 1);
    CHECK(list.open().number == 2);
    CHECK(!list.close(3, 0));
    CHECK(list.close(2, 0));
    CHECK(list.close(1, 9));
    CHECK((list.open().number == 1 && list.close(1, 9) && !list.close(1, 10)));
    CHECK(list.open().epoch == 9);
}
