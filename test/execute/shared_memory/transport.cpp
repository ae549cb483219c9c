#include "collsched/execute/shared_memory/transport.hpp"

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <cstring>
#include <optional>
#include <vector>

#include "collsched/execute/processes.hpp"
#include "collsched/execute/thread_fabric.hpp"
#include "support/allocations.hpp"

using namespace collsched;

// Behavior that threads and processes have in common. Both ends are in this thread.

namespace {

int owner = 0;

struct two_threads {
    explicit two_threads(const detail::shared_memory_rules& rules = {})
        : memory(2), room_0(memory, 0), room_1(memory, 1), zero(room_0, rules), one(room_1, rules) {}
    detail::thread_memory memory;
    detail::thread_group room_0, room_1;
    detail::shared_memory_transport<detail::thread_group> zero, one;
};
struct two_processes {
    explicit two_processes(const detail::shared_memory_rules& rules = {}, const process_group::options& how = {}) {
        REQUIRE((!group_0.join(room, 2, 0, how) && !group_1.join(room, 2, 1, how)));
        transport_0.emplace(group_0, rules);
        transport_1.emplace(group_1, rules);
    }
    process_group::anonymous_segment room;
    process_group group_0, group_1;
    std::optional<process_group::transport> transport_0, transport_1;
    process_group::transport& zero = *transport_0.operator->();
    process_group::transport& one = *transport_1.operator->();
};

/// As those, where messages that are not small are read from the sender's memory.
struct two_readers : two_processes {
    explicit two_readers(const detail::shared_memory_rules& rules = {})
        : two_processes(rules, {.single_copy_from = 0}) {}
};

/// 8 bytes, and where they arrive.
struct short_message {
    std::array<std::byte, 8> sent{std::byte{3}}, into{};
    message::send_part whole{sent.data(), 8};
    message::receive_part target{into.data(), 8};
};

message::key key(rank_t peer, std::int64_t sequence) {
    return {.peer = peer, .channel = 1, .sequence = sequence, .fingerprint = 4, .request = {&owner, sequence}};
}

}  // namespace

TEST_CASE_TEMPLATE("shared_memory_transport: a send of buffered() bytes is complete as it is posted, also unread ones",
                   Ends, two_threads, two_processes, two_readers) {
    Ends ends;
    const message::buffered_sends limit = ends.zero.buffered();
    REQUIRE((limit.bytes >= 4096 && limit.messages >= 8));
    std::vector<std::byte> sent(static_cast<std::size_t>(limit.bytes));
    const message::send_part whole{sent.data(), limit.bytes};
    std::int64_t complete = 0;
    while (ends.zero.post_send(key(1, complete), {&whole, 1}) == already_complete) ++complete;
    CHECK(complete >= 3);  // four fit into a ring
    std::vector<std::byte> into(sent.size());
    const message::receive_part target{into.data(), limit.bytes};
    for (std::int64_t i = 0; i < complete; ++i) CHECK(ends.one.post_recv(key(0, i), {&target, 1}) == already_complete);
}

TEST_CASE_TEMPLATE(
    "shared_memory_transport: a short message is received in the post if it has come, whatever came before", Ends,
    two_threads, two_processes, two_readers) {
    for (const bool other_first : {false, true}) {
        Ends ends;
        const std::array<std::byte, 8> sent{std::byte{1}, std::byte{2}};
        const message::send_part whole{sent.data(), 8};
        if (other_first) ends.zero.post_send(key(1, 5), {&whole, 1});
        ends.zero.post_send(key(1, 6), {&whole, 1});
        std::array<std::byte, 8> into{};
        const message::receive_part parts[] = {{into.data(), 3}, {into.data() + 3, 5}};
        CHECK(ends.one.post_recv(key(0, 6), parts) == already_complete);
        CHECK(into == sent);
        if (other_first) CHECK(ends.one.post_recv(key(0, 5), parts) == already_complete);
        CHECK(ends.one.poll().empty());
    }
}

TEST_CASE_TEMPLATE("shared_memory_transport: receives of one rank match by name in any order of posts and arrivals",
                   Ends, two_threads, two_processes, two_readers) {
    for (const auto& posts : {std::vector<std::int64_t>{0, 1, 2}, {2, 1, 0}, {1, 0, 2}})
        for (const auto& sends : {std::vector<std::int64_t>{0, 1, 2}, {2, 0, 1}})
            for (std::size_t before = 0; before <= 3; ++before) {
                Ends ends;
                std::array<std::array<std::byte, 8>, 3> sent{}, into{};
                std::vector<message::receive_part> targets;
                for (std::size_t i = 0; i < 3; ++i) sent[i].fill(static_cast<std::byte>(i + 1));
                for (std::array<std::byte, 8>& memory : into) targets.push_back({memory.data(), 8});
                int complete = 0;
                const auto post = [&](std::int64_t i) {
                    complete +=
                        ends.one.post_recv(key(0, i), {&targets[static_cast<std::size_t>(i)], 1}) == already_complete;
                };
                for (std::size_t k = 0; k < before; ++k) post(posts[k]);
                for (const std::int64_t i : sends) {
                    const message::send_part whole{sent[static_cast<std::size_t>(i)].data(), 8};
                    CHECK(ends.zero.post_send(key(1, i), {&whole, 1}) == already_complete);
                }
                for (std::size_t k = before; k < 3; ++k) post(posts[k]);
                while (!ends.one.poll().empty()) ++complete;
                CHECK(complete == 3);
                CHECK(into == sent);
            }
}

TEST_CASE_TEMPLATE("shared_memory_transport: a short message of another schedule or size is the receiver's error", Ends,
                   two_threads, two_processes, two_readers) {
    for (const bool early : {false, true})
        for (const bool size : {false, true}) {
            Ends ends;
            std::array<std::byte, 8> sent{}, into{};
            const message::send_part whole{sent.data(), 8};
            const message::receive_part target{into.data(), size ? 7 : 8};
            message::key wanted = key(0, 0);
            if (!size) wanted.fingerprint = 5;
            if (early) CHECK(ends.zero.post_send(key(1, 0), {&whole, 1}) == already_complete);
            CHECK(ends.one.post_recv(wanted, {&target, 1}) == 0);
            if (!early) CHECK(ends.zero.post_send(key(1, 0), {&whole, 1}) == already_complete);
            const completion end = ends.one.poll();
            CHECK(end.error == (size ? message::error::size_mismatch : message::error::disagreement));
            CHECK(ends.zero.poll().empty());
        }
}

TEST_CASE_TEMPLATE("shared_memory_transport: a cancelled receive leaves room for the next of the same name", Ends,
                   two_threads, two_processes, two_readers) {
    Ends ends;
    std::array<std::byte, 8> sent{std::byte{3}}, first{}, second{};
    const message::send_part whole{sent.data(), 8};
    const message::receive_part to_first{first.data(), 8}, to_second{second.data(), 8};
    CHECK(ends.one.post_recv(key(0, 0), {&to_first, 1}) == 0);
    ends.one.cancel(&owner);
    CHECK(ends.one.post_recv(key(0, 0), {&to_second, 1}) == 0);
    CHECK(ends.zero.post_send(key(1, 0), {&whole, 1}) == already_complete);
    CHECK(ends.one.poll().error == 0);
    CHECK((second == sent && first == std::array<std::byte, 8>{}));
}

TEST_CASE_TEMPLATE("shared_memory_transport: sends of a rank that only sends are complete as they are posted", Ends,
                   two_threads, two_processes, two_readers) {
    Ends ends;
    short_message message;
    for (std::int64_t i = 0; i < 2000; ++i) {
        CHECK(ends.zero.post_send(key(1, i), {&message.whole, 1}) == already_complete);
        CHECK(ends.one.post_recv(key(0, i), {&message.target, 1}) == already_complete);
    }
}

TEST_CASE_TEMPLATE("shared_memory_transport: allows_shorter takes shorter messages, at no cost of the sender", Ends,
                   two_threads, two_processes, two_readers) {
    for (const bytes_t size : {bytes_t{0}, bytes_t{5}, bytes_t{700'000}})
        for (const bool send_first : {true, false})
            for (const int misfit : {0, 1, 2}) {  // none, a fingerprint, a receive that is too short
                Ends ends({.allows_shorter = true});
                const std::vector<std::byte> sent(static_cast<std::size_t>(size), std::byte{3});
                std::vector<std::byte> into(sent.size() + 7, std::byte{9}), expected = into;
                const message::send_part whole{sent.data(), size};
                const message::receive_part target{into.data(), misfit == 2 ? size - 1 : size + 7};
                if (target.size < 0) continue;
                message::key send = key(1, 0), receive = key(0, 0);
                send.fingerprint = receive.fingerprint = misfit == 1 ? 1 : 0;
                const auto sends = [&] { return ends.zero.post_send(send, {&whole, 1}) == already_complete; };
                bool is_sent = send_first && sends();
                if (send_first) ends.one.poll();
                bool received = ends.one.post_recv(receive, {&target, 1}) == already_complete;
                if (!send_first) is_sent = sends();
                for (int looks = 0; looks < 1000 && (!received || !is_sent); ++looks) {
                    if (const completion end = ends.one.poll(); !received && end.request.owner == &owner) {
                        CHECK(end.error == (misfit == 0 ? 0 : message::error::size_mismatch));
                        received = true;
                    }
                    if (const completion end = ends.zero.poll(); !is_sent && end.request.owner == &owner) {
                        CHECK(end.error == 0);
                        is_sent = true;
                    }
                }
                CHECK((received && is_sent));
                if (misfit == 0) std::copy(sent.begin(), sent.end(), expected.begin());
                CHECK(into == expected);
            }
}

TEST_CASE_TEMPLATE("shared_memory_transport: what has not met its other end is ended or dropped by name", Ends,
                   two_threads, two_processes, two_readers) {
    for (const bytes_t size : {bytes_t{8}, bytes_t{100'000}}) {
        Ends ends;
        const std::vector<std::byte> sent(static_cast<std::size_t>(size), std::byte{3});
        std::vector<std::byte> into(sent.size());
        const message::send_part whole{sent.data(), size};
        const message::receive_part target{into.data(), size};
        for (std::int64_t i = 0; i < 3; ++i) ends.zero.post_send(key(1, i), {&whole, 1});
        for (std::int64_t i = 10; i < 13; ++i) CHECK(ends.one.post_recv(key(0, i), {&target, 1}) == 0);
        CHECK(ends.one.poll().empty());
        ends.one.drop_early([](const message::key& name) { return name.sequence == 1; });
        const completion dropped = ends.zero.poll();  // only a large one's sender waits
        CHECK((size == 8 ? dropped.empty() : dropped.request.node == 1 && dropped.error == message::error::withdrawn));
        int seen = 0;
        ends.one.end_unmatched(77, [&](const message::key& name, bool is_send) {
            ++seen;
            CHECK((!is_send && name.peer == 0 && name.channel == 1));
            return name.sequence == 11;
        });
        CHECK(seen == 3);
        const completion ended = ends.one.poll();
        CHECK((ended.request.node == 11 && ended.error == 77));
        ends.zero.end_unmatched(78, [&](const message::key& name, bool is_send) {
            CHECK(is_send);
            return name.sequence == 2;
        });
        const completion send = ends.zero.poll();
        CHECK((size == 8 ? send.empty() : send.request.node == 2 && send.error == 78));
        ends.one.poll();
        CHECK((ends.one.post_recv(key(0, 1), {&target, 1}) == 0 && ends.one.poll().empty()));
        CHECK(ends.one.post_recv(key(0, 2), {&target, 1}) == (size == 8 ? already_complete : 0));
        ends.one.cancel(&owner);
        ends.zero.cancel(&owner);
    }
}

TEST_CASE_TEMPLATE("shared_memory_transport: messages of starts that their receiver has cancelled keep no room", Ends,
                   two_threads, two_processes, two_readers) {
    Ends ends;
    short_message message;
    const auto of_start = [](rank_t peer, std::uint64_t epoch, std::int64_t sequence) {
        message::key one = key(peer, sequence);
        one.epoch = epoch;
        return one;
    };
    const auto posts = [&](std::uint64_t epoch, std::int64_t sequence) {
        return ends.zero.post_send(of_start(1, epoch, sequence), {&message.whole, 1});
    };
    constexpr std::uint64_t starts = 200;
    for (std::uint64_t epoch = 0; epoch < starts; ++epoch) {
        CHECK(posts(epoch, 0) == already_complete);
        CHECK(posts(epoch, 1) == already_complete);
        ends.one.poll();  // 1 is early
        CHECK(ends.one.post_recv(of_start(0, epoch, 7), {&message.target, 1}) == 0);
        ends.one.cancel(&owner);
        CHECK(posts(epoch, 2) == already_complete);  // late
        ends.one.poll();
        ends.zero.poll();
    }
    CHECK(posts(starts, 0) == already_complete);
    ends.one.poll();
    CHECK(ends.one.post_recv(of_start(0, starts, 0), {&message.target, 1}) == already_complete);
    CHECK(message.into == message.sent);
    ends.zero.cancel(&owner);
}

TEST_CASE_TEMPLATE("shared_memory_transport: an owner that never changes its epoch makes it hold no more and more",
                   Ends, two_threads, two_processes, two_readers) {
    Ends ends;
    std::array<std::byte, 8> sent{}, into{};
    const message::send_part whole{sent.data(), 8};
    const message::receive_part target{into.data(), 8};
    long before = 0;
    for (std::int64_t i = 0; i < 40'000; ++i) {
        if (i == 10'000) before = support::allocations;
        ends.zero.post_send(key(1, i), {&whole, 1});
        REQUIRE(ends.one.post_recv(key(0, i), {&target, 1}) == already_complete);
        if (i % 8 == 0) ends.zero.poll();  // reads the reports of matches
    }
    CHECK(support::allocations == before);
}

TEST_CASE(
    "shared_memory_transport: a thread whose receive is reported owes its sender nothing, also if its ring was full") {
    for (const rank_t ranks : {2, 9}) {
        thread_fabric fabric(ranks);
        auto zero = fabric.at(0), one = fabric.at(1);
        const bytes_t size = ranks == 2 ? 8136 : 64;
        std::vector<std::byte> sent(static_cast<std::size_t>(size)), large(100'000, std::byte{7}), into(large.size());
        const message::send_part small{sent.data(), size}, whole{large.data(), std::ssize(large)};
        const message::receive_part target{into.data(), std::ssize(into)}, none{sent.data(), size};
        std::int64_t posted = 0;
        for (int i = 0; i < (ranks == 2 ? 4 : 32); ++i)
            CHECK(one.post_send(key(0, posted++), {&small, 1}) == already_complete);
        CHECK(zero.post_send(key(1, 0), {&whole, 1}) == 0);
        CHECK(one.post_recv(key(0, 0), {&target, 1}) == 0);
        for (int i = 0; i < 10; ++i) CHECK(one.poll().empty());  // the reply has no room
        CHECK(into == large);
        CHECK(zero.poll().empty());  // it has read the ring
        for (std::int64_t i = 0; i < posted; ++i) CHECK(zero.post_recv(key(1, i), {&none, 1}) == already_complete);
        CHECK(one.poll().request.owner == &owner);
        const completion end = zero.wait_any(std::chrono::seconds(20));  // without the other rank
        CHECK((end.request.owner == &owner && end.error == 0));
    }
}
