#include "collsched/execute/shared_memory/detail/message_pool.hpp"

#include <doctest/doctest.h>

#include <map>
#include <set>
#include <vector>

using namespace collsched;
using namespace collsched::detail;

namespace {

struct letter {
    std::uint64_t id = 0;
    message_name name;
};

message_name name_at(std::int64_t i) { return {i % 5, static_cast<std::uint64_t>(i % 3), 4, i}; }

}  // namespace

TEST_CASE("message_pool: a message is found by id and by name until it is given back") {
    message_pool<letter> pool;
    std::map<std::int64_t, std::uint64_t> expected;
    std::set<std::uint64_t> ids;
    detail::splitmix64 random(1);
    for (int round = 0; round < 20'000; ++round) {
        const std::int64_t i = random.between(0, 500);
        if (const auto found = expected.find(i); found != expected.end()) {
            letter* const one = pool.find(found->second);
            REQUIRE((one != nullptr && one->name == name_at(i)));
            CHECK(pool.find(name_at(i)) == one);
            pool.give_back(*one);
            CHECK(pool.find(found->second) == nullptr);
            CHECK(pool.find(name_at(i)) == nullptr);
            expected.erase(found);
        } else {
            CHECK(pool.find(name_at(i)) == nullptr);
            letter& one = pool.take();
            one.name = name_at(i);
            CHECK(ids.insert(one.id).second);
            pool.enter_index(one);
            expected[i] = one.id;
        }
    }
    std::size_t held = 0;
    pool.for_each([&](const letter& one) {
        if (expected[one.name.sequence] == one.id) ++held;
    });
    CHECK(held == expected.size());
    CHECK(pool.find(std::uint64_t{0}) == nullptr);
}

TEST_CASE("message_pool: a message outside the index is found by id only") {
    message_pool<letter> pool;
    letter& one = pool.take();
    one.name = name_at(7);
    CHECK(pool.find(name_at(7)) == nullptr);
    pool.enter_index(one);
    CHECK(pool.find(name_at(7)) == &one);
    pool.leave_index(one);
    CHECK(pool.find(name_at(7)) == nullptr);
    CHECK(pool.find(one.id) == &one);
}

TEST_CASE("message_pool: every field of the name identifies a message") {
    message_pool<letter> pool;
    const message_name all[] = {{1, 2, 3, 4}, {2, 2, 3, 4}, {1, 3, 3, 4}, {1, 2, 4, 4}, {1, 2, 3, 5}};
    for (const message_name& name : all) {
        CHECK(pool.find(name) == nullptr);
        letter& one = pool.take();
        one.name = name;
        pool.enter_index(one);
        CHECK(pool.find(name) == &one);
    }
}

TEST_CASE("message_queue: elements leave in order, also if the queue is never empty") {
    message_queue<int> queue;
    int in = 0, out = 0;
    for (int round = 0; round < 5000; ++round) {
        for (int i = 0; i < 3 && in - out < 40; ++i) queue.push(in++);
        for (int i = 0; i < 2; ++i, ++out) {
            REQUIRE(queue.front() == out);
            queue.pop();
        }
    }
    queue.remove_if([](int i) { return i % 2 == 0; });
    for (; !queue.empty(); queue.pop()) {
        out += out % 2 == 0 ? 1 : 0;
        CHECK(queue.front() == out++);
    }
    CHECK(out >= in - 1);
}

TEST_CASE("message_pool: of equal names the oldest is found first, however many there are") {
    message_pool<letter> pool(2);
    std::vector<std::uint64_t> ids;
    for (int i = 0; i < 200; ++i) {
        letter& one = pool.take();
        one.name = name_at(i % 3);
        pool.enter_index(one);
        ids.push_back(one.id);
    }
    for (int i = 0; i < 200; ++i) {
        letter* const oldest = pool.find(name_at(i % 3));
        REQUIRE((oldest != nullptr && oldest->id == ids[static_cast<std::size_t>(i)]));
        pool.give_back(*oldest);
    }
}
