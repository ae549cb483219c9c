#include "collsched/execute/shared_memory/detail/thread_group.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <set>
#include <thread>
#include <vector>

using namespace collsched;
using namespace collsched::detail;

TEST_CASE("wakeup: of a thread, ends a sleep, and one before the sleep makes it end at once") {
    using namespace std::chrono_literals;
    const auto has_none = [] { return false; };
    wakeup<condition_wait> sleeper;
    const std::uint32_t count = sleeper.count();
    std::jthread waker([&] {
        while (!sleeper.is_sleeping()) std::this_thread::yield();
        sleeper.wake();
    });
    sleeper.sleep(count, 60s, has_none);
    CHECK((sleeper.count() != count && !sleeper.is_sleeping()));
    sleeper.sleep(count, std::chrono::nanoseconds::max(), has_none);
    sleeper.sleep(sleeper.count(), 1ms, has_none);
    sleeper.sleep(sleeper.count(), std::chrono::nanoseconds::max(), [&] {
        CHECK(sleeper.is_sleeping());  // others can see it
        return true;
    });
    CHECK(!sleeper.is_sleeping());
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

TEST_CASE("thread_group: in a large fabric a rank reads which ranks have woken it, once") {
    thread_memory memory(130);
    const thread_group group(memory, 65);
    const auto wakers = [&] {
        std::vector<rank_t> ranks;
        group.for_each_waker([&](rank_t r) { ranks.push_back(r); });
        return ranks;
    };
    CHECK((!group.polls() && wakers().empty()));
    const std::uint32_t before = group.wakeups();
    for (const rank_t r : {rank_t{129}, rank_t{0}, rank_t{63}, rank_t{64}, rank_t{0}}) thread_group(memory, r).wake(65);
    CHECK(group.wakeups() != before);
    CHECK(wakers() == std::vector<rank_t>{0, 63, 64, 129});
    CHECK(wakers().empty());
    thread_memory few(3);
    std::vector<rank_t> all;
    thread_group(few, 1).for_each_waker([&](rank_t r) { all.push_back(r); });
    CHECK(all == std::vector<rank_t>{0, 2});  // they are polled
}
