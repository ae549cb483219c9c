#include "collsched/execute/detail/posted_message.hpp"

#include <doctest/doctest.h>

#include <array>
#include <set>
#include <thread>
#include <vector>

#include "support/pieces.hpp"

using namespace collsched;
using namespace collsched::detail;
using support::cut;
using support::noise;

TEST_CASE("posted_message: default values") {
    const posted_message one;
    CHECK((one.size == 0 && one.error == 0 && one.source == 0));
    CHECK((one.next == nullptr && one.send == nullptr && one.now == posted_message::stage::offered));
}

TEST_CASE("posted_message: each chunk is copied once, by either end") {
    detail::splitmix64 random(2);
    for (const bytes_t size : {bytes_t{1}, posted_message::chunk, 12 * posted_message::chunk + 7}) {
        std::vector<std::byte> out = noise(size, 3);
        out.back() = std::byte{1};
        std::vector<std::byte> in(out.size());
        const auto sent = cut<send_part>(out.data(), size, size / 3 + 1, random);
        const auto received = cut<receive_part>(in.data(), size, size / 5 + 1, random);
        posted_message send;
        send.size = size;
        send.from = sent;
        send.copy_chunks();
        CHECK(send.close_chunks());
        CHECK(in[0] == std::byte{});
        send.open_chunks(received);
        CHECK(!send.close_chunks());
        std::thread other([&] { send.copy_chunks(); });
        send.copy_chunks();
        while (!send.close_chunks()) std::this_thread::yield();
        other.join();
        CHECK(in == out);
        // All chunks are there once a thread that copies none can close the message.
        in.assign(in.size(), std::byte{});
        send.open_chunks(received);
        std::thread copies([&] { send.copy_chunks(); });
        while (!send.close_chunks()) {}
        const std::byte last = in.back();
        CHECK(last == out.back());
        CHECK(in == out);
        copies.join();
    }
}

namespace {

/// A flag that notes the stage of a message whenever it is raised.
struct watching_flag {
    posted_message* send;
    std::vector<posted_message::stage> seen{};

    watching_flag& operator=(bool raised) {
        CHECK(raised);
        seen.push_back(send->now);
        return *this;
    }
};

}  // namespace

TEST_CASE("posted_message: a thread that finds all chunks begun reads no memory of the message, which may be gone") {
    const std::vector<std::byte> out = noise(100, 3);
    std::vector<std::byte> in(out.size());
    const send_part from{out.data(), 100};
    const receive_part into{in.data(), 100};
    posted_message send;
    send.size = 100;
    send.from = {&from, 1};
    send.open_chunks({&into, 1});
    send.copy_chunks();
    const auto* const gone = reinterpret_cast<const send_part*>(alignof(send_part));
    send.from = {gone, 1};
    send.copy_chunks();
    CHECK(send.close_chunks());
    send.copy_chunks();
    CHECK(in == out);
}

TEST_CASE(
    "posted_message: withdrawing a send changes its stage first and raises the flag then, unless the receiver has it") {
    using stage = posted_message::stage;
    for (const stage before : {stage::offered, stage::taken_up, stage::returned, stage::withdrawn}) {
        posted_message send;
        send.now = before;
        watching_flag flag{&send};
        send.withdraw(flag);
        CHECK(send.now == (before == stage::offered ? stage::withdrawn : before));
        CHECK(flag.seen == std::vector<stage>(before == stage::offered ? 1 : 0, stage::withdrawn));
    }
}

TEST_CASE("message_queue: pop returns messages in order, and remove_if passes each removed message to a function") {
    std::array<posted_message, 5> all;
    message_queue queue;
    CHECK(queue.empty());
    for (std::size_t i = 0; i < all.size(); ++i) {
        all[i].size = static_cast<bytes_t>(i);
        queue.push(all[i]);
    }
    std::vector<bytes_t> removed;
    queue.remove_if([](const posted_message& one) { return one.size % 2 == 0; },
                    [&](posted_message& one) { removed.push_back(one.size); });
    CHECK(removed == std::vector<bytes_t>{0, 2, 4});
    queue.push(all[0]);
    CHECK(queue.pop().size == 1);
    CHECK(queue.pop().size == 3);
    CHECK(queue.pop().size == 0);
    CHECK(queue.empty());
}

TEST_CASE("message_table: a message is found by source, channel, epoch and sequence at any table size") {
    std::vector<posted_message> all(3 * 4 * 5 * 6);
    message_table table;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto digit = [&](std::size_t unit, std::size_t base) { return i / unit % base; };
        all[i].source = static_cast<rank_t>(digit(1, 3));
        all[i].key.channel = digit(3, 4);
        all[i].key.epoch = digit(12, 5);
        all[i].key.sequence = static_cast<std::int64_t>(digit(60, 6));
        table.insert(all[i]);
        if (i == 100) table.expect(64);
    }
    int removed = 0;
    table.remove_if([](const posted_message& one) { return one.source == 2; }, [&](posted_message&) { ++removed; });
    CHECK(removed == 4 * 5 * 6);
    for (posted_message& one : all) {
        posted_message other;
        other.source = one.source;
        other.key = one.key;
        other.key.peer = 77;
        CHECK(table.extract(other) == (one.source == 2 ? nullptr : &one));
        CHECK(table.extract(other) == nullptr);
    }
}

TEST_CASE("posted_message: two ends match if and only if source, channel, epoch and sequence are equal") {
    posted_message one, other;
    one.key.peer = 5;
    one.key.fingerprint = 6;
    CHECK(one.meets(other));
    const auto meets_after = [&](auto change) {
        posted_message changed;
        change(changed);
        return one.meets(changed) || changed.meets(one);
    };
    CHECK(!meets_after([](posted_message& m) { m.source = 1; }));
    CHECK(!meets_after([](posted_message& m) { m.key.channel = 1; }));
    CHECK(!meets_after([](posted_message& m) { m.key.epoch = 1; }));
    CHECK(!meets_after([](posted_message& m) { m.key.sequence = 1; }));
}

TEST_CASE("message_pool: a reused message has the new key, no error and no operand to combine") {
    message_pool pool;
    const reduction any{};
    int owner = 0;
    std::set<posted_message*> used;
    for (std::int64_t i = 0; i < 50; ++i) {
        posted_message& one = pool.take({.sequence = i, .request = {&owner, i}});
        CHECK(one.error == 0);
        CHECK(one.combined.op == nullptr);
        CHECK(one.key.sequence == i);
        one.error = 9;
        one.combined.op = &any;
        used.insert(&one);
        pool.give_back(one);
    }
    CHECK(used.size() < 50);
}

TEST_CASE("message_pool: later starts reuse the messages of the first one") {
    message_pool pool;
    int owner = 0, another = 0;
    message_key key{.request = {&owner, 0}};
    CHECK(pool.size() == 0);
    for (int i = 0; i < 100; ++i) pool.give_back(pool.take(key));
    const std::size_t enough = pool.size();
    CHECK(enough >= 100);
    CHECK(enough < 200);
    std::set<const posted_message*> taken;
    for (key.epoch = 1; key.epoch < 5; ++key.epoch) {
        for (int i = 0; i < 100; ++i) taken.insert(&pool.take(key));
        CHECK(taken.size() == 100);
        int used = 0;
        pool.for_each_of(&another, [&](posted_message&) { ++used; });
        CHECK(used == 0);
        pool.for_each_of(&owner, [&](posted_message& one) { ++used, pool.give_back(one); });
        CHECK(used == 100);
        taken.clear();
    }
    CHECK(pool.size() == enough);
}
