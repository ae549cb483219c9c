#include "collsched/execute/shared_memory/detail/thread_room.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <set>
#include <thread>
#include <vector>

using namespace collsched;
using namespace collsched::detail;

TEST_CASE("thread_seat: a ring ends a sleep, and one before the sleep makes it end at once") {
    using namespace std::chrono_literals;
    const auto nothing = [] { return false; };
    thread_seat seat(2);
    const std::uint32_t seen = seat.rings();
    std::jthread other([&] {
        while (!seat.sleeps()) std::this_thread::yield();
        seat.ring();
    });
    seat.sleep(seen, 60s, nothing);
    CHECK((seat.rings() != seen && !seat.sleeps()));
    seat.sleep(seen, std::chrono::nanoseconds::max(), nothing);
    seat.sleep(seat.rings(), 1ms, nothing);
    seat.sleep(seat.rings(), std::chrono::nanoseconds::max(), [&] {
        CHECK(seat.sleeps());  // others can see it
        return true;
    });
    CHECK(!seat.sleeps());
}

TEST_CASE("thread_memory: each pair of ranks has a ring of its own in each direction, the same for both ends") {
    thread_memory memory(3);
    std::set<const std::byte*> rings;
    for (rank_t from = 0; from < 3; ++from)
        for (rank_t to = 0; to < 3; ++to) {
            const ring_memory ring = memory.ring(from, to);
            rings.insert(ring.data);
            CHECK((memory.ring(from, to).data == ring.data && memory.ring(from, to).control == ring.control));
            CHECK(reinterpret_cast<std::uintptr_t>(ring.data) % 64 == 0);
            CHECK((ring.key % 2 == 1 && ring.bytes == 32768));
        }
    CHECK(rings.size() == 9);
}

TEST_CASE("thread_room: in a large fabric a rank reads who has rung it, once") {
    thread_memory memory(130);
    const thread_room mine(memory, 65);
    const auto ringers = [&] {
        std::vector<rank_t> found;
        mine.for_each_ringer([&](rank_t r) { found.push_back(r); });
        return found;
    };
    CHECK((!mine.polls() && ringers().empty()));
    const std::uint32_t before = mine.rings();
    for (const rank_t r : {rank_t{129}, rank_t{0}, rank_t{63}, rank_t{64}, rank_t{0}}) thread_room(memory, r).ring(65);
    CHECK(mine.rings() != before);
    CHECK(ringers() == std::vector<rank_t>{0, 63, 64, 129});
    CHECK(ringers().empty());
    thread_memory few(3);
    std::vector<rank_t> all;
    thread_room(few, 1).for_each_ringer([&](rank_t r) { all.push_back(r); });
    CHECK(all == std::vector<rank_t>{0, 2});  // they are polled
}
