#include "examples/programs/collsched/switch_study/packet_account.hpp"

#include <doctest/doctest.h>

using namespace collsched;
using namespace collsched::switch_study;

static_assert([] {
    packet_account m(250, 100);
    bytes_t sum = 0;
    while (m.waiting() > 0) sum += m.send().bytes;
    return sum == 250 && m.unacknowledged() == 3 && !m.finished();
}());

TEST_CASE("packet_account: the number of packets of a message and the size of the last") {
    struct example {
        bytes_t bytes;
        std::int64_t packets;
        bytes_t last;
    };
    for (const auto& [bytes, packets, last] :
         {example{0, 0, 0}, example{1, 1, 1}, example{99, 1, 99}, example{100, 1, 100}, example{101, 2, 1},
          example{300, 3, 100}, example{std::int64_t{1} << 62, (std::int64_t{1} << 62) / 100 + 1, 4}}) {
        packet_account m(bytes, 100);
        CHECK(m.waiting() == packets);
        CHECK(m.finished() == (packets == 0));
        if (packets > 5) continue;
        for (std::int64_t n = 0; n < packets; ++n)
            CHECK(m.send() == packet_account::sent{n + 1 < packets ? 100 : last, false});
    }
}

TEST_CASE("packet_account: finished when all packets are sent and acknowledged") {
    packet_account m(150, 100);
    (void)m.send();
    m.acknowledge();
    CHECK_FALSE(m.finished());
    (void)m.send();
    CHECK_FALSE(m.finished());
    m.acknowledge();
    CHECK(m.finished());
}

TEST_CASE("packet_account: lost packets are sent again first, with their size") {
    packet_account m(350, 100);
    CHECK(m.send() == packet_account::sent{100, false});
    CHECK(m.lose(100, 0));
    CHECK(m.waiting() == 4);
    CHECK(m.send() == packet_account::sent{100, true});
    CHECK(m.send() == packet_account::sent{100, false});
    CHECK(m.send() == packet_account::sent{100, false});
    CHECK(m.send() == packet_account::sent{50, false});
    CHECK(m.lose(50, m.epoch()));
    CHECK(m.send() == packet_account::sent{50, true});
    CHECK(m.waiting() == 0);
    CHECK(m.unacknowledged() == 4);
}

TEST_CASE("packet_account: losses of one epoch count once, and an acknowledgment ends a row of timeouts") {
    packet_account m(1000, 100);
    for (int n = 0; n < 4; ++n) (void)m.send();
    CHECK(m.lose(100, 0));
    CHECK_FALSE(m.lose(100, 0));
    CHECK(m.timeouts() == 1);
    CHECK(m.epoch() == 1);
    (void)m.send();
    CHECK(m.lose(100, 1));
    CHECK(m.timeouts() == 2);
    m.acknowledge();
    CHECK(m.timeouts() == 0);
    CHECK(m.epoch() == 2);
    CHECK_FALSE(m.lose(100, 0));
    CHECK(m.timeouts() == 0);
    CHECK(m.unacknowledged() == 0);
}
