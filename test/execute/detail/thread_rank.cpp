#include "collsched/execute/detail/thread_rank.hpp"

#include <doctest/doctest.h>

#include <thread>

using namespace collsched;

TEST_CASE("thread_rank: pushed messages are in the inbox, the last one first, from any thread") {
    detail::thread_rank rank;
    detail::posted_message first, second;
    rank.push(first);
    std::jthread([&] { rank.push(second); }).join();
    CHECK(rank.inbox.load() == &second);
    CHECK(second.next == &first);
    CHECK(first.next == nullptr);
}

TEST_CASE("thread_rank: a push wakes a rank that sleeps") {
    detail::thread_rank rank;
    detail::posted_message message;
    rank.sleeping = true;
    std::jthread other([&] { rank.push(message); });
    std::unique_lock hold(rank.lock);
    rank.bell.wait(hold, [&] { return rank.inbox.load() != nullptr; });
    CHECK(rank.inbox.load() == &message);
}
