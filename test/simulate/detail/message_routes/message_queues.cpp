#include "collsched/simulate/detail/message_routes.hpp"

#include <doctest/doctest.h>

using collsched::detail::message_queues;

TEST_CASE("message_queues: sends and receives start in turns, a send first, and alone when the others are out") {
    message_queues queues;
    for (const int i : {10, 11, 12}) queues.add_receive(i);
    for (const int i : {20, 21}) queues.add_send(i);
    for (const int i : {20, 10, 21, 11, 12}) CHECK(queues.take_message() == i);
    CHECK(queues.take_message() == message_queues::nothing);
    queues.add_send(22);
    queues.add_receive(13);
    CHECK(queues.take_message() == 13);  // the last turn was that of a send
    queues.restart_turns();
    queues.add_receive(14);
    CHECK(queues.take_message() == 22);
}

TEST_CASE("message_queues: local work keeps its order and takes a turn") {
    message_queues queues;
    queues.add_local(1);
    queues.add_local(2);
    queues.add_send(3);
    queues.add_receive(4);
    CHECK(queues.take_local() == 1);
    CHECK(queues.take_message() == 4);
    CHECK(queues.take_local() == 2);
    CHECK(queues.take_local() == message_queues::nothing);
}

TEST_CASE("message_queues: buffered sends are complete first, and the last request fills a gap") {
    message_queues queues;
    const auto all = [](std::int64_t) { return true; };
    const auto none = [](std::int64_t) { return false; };
    queues.add_request(1, false);
    queues.add_request(2, true);
    queues.add_request(3, false);
    queues.add_request(4, false);
    CHECK(queues.take_complete(none) == 2);
    CHECK(queues.take_complete(none) == message_queues::nothing);
    CHECK(queues.take_complete(all) == 1);
    CHECK(queues.take_complete(all) == 3);  // 4 moved to the second position, 3 to the first
    CHECK(queues.take_complete(all) == 4);
    CHECK(queues.take_complete(all) == message_queues::nothing);
}
