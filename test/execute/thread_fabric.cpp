#include "collsched/execute/thread_fabric.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <barrier>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "collsched/core/detail/splitmix64.hpp"
#include "support/allocations.hpp"
#include "support/reporting_transport.hpp"
#include "support/waits.hpp"

using namespace collsched;

namespace {

using namespace std::chrono_literals;
using clock_type = std::chrono::steady_clock;

int owner = 0, another_owner = 0;
constexpr bytes_t large = 20'000;  // bytes of a message that stays with its sender

message::key key(rank_t peer, std::int64_t sequence, std::int64_t node = 0) {
    return {.peer = peer, .sequence = sequence, .request = {&owner, node}};
}
message::send_part out(const std::vector<std::byte>& bytes) { return {bytes.data(), std::ssize(bytes)}; }
message::receive_part in(std::vector<std::byte>& bytes) { return {bytes.data(), std::ssize(bytes)}; }

std::vector<std::byte> noise(bytes_t size, std::uint64_t seed) {
    detail::splitmix64 random(seed);
    std::vector<std::byte> bytes(static_cast<std::size_t>(size));
    for (std::byte& one : bytes) one = static_cast<std::byte>(random());
    return bytes;
}

using reporting = support::reporting_transport<thread_fabric::endpoint>;

bool is_nothing(const completion& c) { return c.request.owner == nullptr && c.error == 0; }

/// The ends of one message, each with its own span.
struct two_ends {
    two_ends(bytes_t size, std::uint64_t seed) : sent(noise(size, seed)), received(sent.size()) {}
    std::vector<std::byte> sent, received;
    message::send_part from = out(sent);
    message::receive_part into = in(received);

    std::span<const message::send_part> source() const { return {&from, 1}; }
    std::span<const message::receive_part> target() const { return {&into, 1}; }
};

}  // namespace

static_assert(polled_transport<thread_fabric::endpoint>);

TEST_CASE("thread_fabric: messages match by source, channel, epoch and sequence in any order of posts") {
    thread_fabric fabric(3);
    auto zero = reporting(fabric, 0), one = reporting(fabric, 1), two = reporting(fabric, 2);
    std::vector<std::unique_ptr<two_ends>> all;
    std::vector<message::key> keys;
    for (std::uint64_t channel : {7U, 8U})
        for (std::uint64_t epoch : {3U, 4U})
            for (std::int64_t sequence : {0, 1}) {
                keys.push_back({1, channel, epoch, sequence, 5, {&owner, std::ssize(keys)}});
                all.push_back(std::make_unique<two_ends>(large, keys.size()));
            }
    // Half of the receives before the sends, in the other order; the rest after them.
    const auto receive = [&](std::size_t i) {
        message::key named = keys[i];
        named.peer = 0;
        CHECK(one.post_recv(named, all[i]->target()) == 0);
    };
    for (const std::size_t i : {6U, 4U, 2U, 0U}) receive(i);
    CHECK(is_nothing(one.poll()));
    two_ends stranger(large, 99);
    message::key from_two = keys[6];
    CHECK(two.post_send(from_two, stranger.source()) == 0);
    for (std::size_t i = 0; i < 8; ++i) CHECK(zero.post_send(keys[i], all[i]->source()) == 0);
    CHECK(is_nothing(zero.poll()));
    for (const std::size_t i : {7U, 5U, 3U, 1U}) receive(i);
    std::vector<std::int64_t> seen_by_one, seen_by_zero;
    for (completion c = one.poll(); !is_nothing(c); c = one.poll()) {
        CHECK(c.error == 0);
        CHECK(c.peer == 0);
        CHECK(c.request.owner == &owner);
        seen_by_one.push_back(c.request.node);
    }
    for (completion c = zero.poll(); !is_nothing(c); c = zero.poll()) seen_by_zero.push_back(c.request.node);
    for (std::vector<std::int64_t>* seen : {&seen_by_one, &seen_by_zero}) {
        std::sort(seen->begin(), seen->end());
        CHECK(*seen == std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7});
    }
    for (const auto& each : all) CHECK(each->received == each->sent);
    CHECK(is_nothing(two.poll()));
}

TEST_CASE("thread_fabric: a message without bytes is a signal") {
    thread_fabric fabric(2);
    auto zero = reporting(fabric, 0), one = reporting(fabric, 1);
    CHECK(zero.post_send(key(1, 0, 4), {}) == 0);
    CHECK(one.post_recv(key(0, 0, 5), {}) == 0);
    CHECK(one.poll().request.node == 5);
    CHECK(zero.poll().request.node == 4);
    CHECK((is_nothing(one.poll()) && is_nothing(zero.poll())));
}

TEST_CASE(
    "thread_fabric: sizes or schedules that differ are an error at both ends of a large message, and nothing is "
    "written") {
    thread_fabric fabric(2);
    auto zero = reporting(fabric, 0), one = reporting(fabric, 1);
    two_ends cut(large, 1), strange(large, 2);
    cut.into.size = large - 1;
    zero.post_send(key(1, 0, 1), cut.source());
    one.post_recv(key(0, 0, 2), cut.target());
    message::key mine = key(1, 1, 3), theirs = key(0, 1, 4);
    mine.fingerprint = 1;
    theirs.fingerprint = 2;
    zero.post_send(mine, strange.source());
    one.post_recv(theirs, strange.target());
    for (auto* end : {&one, &zero})
        for (const int error : {thread_fabric::error::size_mismatch, thread_fabric::error::disagreement}) {
            const completion c = end->wait_any(forever);
            CHECK(c.request.owner == &owner);
            CHECK(c.error == error);
            CHECK(c.peer == (end == &one ? 0 : 1));
        }
    CHECK(cut.received == std::vector<std::byte>(static_cast<std::size_t>(large)));
    CHECK(strange.received == std::vector<std::byte>(static_cast<std::size_t>(large)));
}

TEST_CASE("thread_fabric: a post to a rank outside the fabric, or to the rank itself, fails") {
    thread_fabric fabric(2);
    auto zero = reporting(fabric, 0);
    CHECK(zero.post_send(key(2, 0), {}) == thread_fabric::error::no_such_rank);
    CHECK(zero.post_recv(key(-1, 0), {}) == thread_fabric::error::no_such_rank);
    CHECK(zero.post_send(key(0, 0), {}) == thread_fabric::error::no_such_rank);
    CHECK(is_nothing(zero.poll()));
}

TEST_CASE("thread_fabric: concurrent messages with different parts at both ends arrive in any order of posts") {
    constexpr rank_t ranks = 4;
    constexpr std::int64_t messages = 24;  // of a pair
    thread_fabric fabric(ranks);
    const auto size_of = [](rank_t src, rank_t dst, std::int64_t i) {
        detail::splitmix64 random(static_cast<std::uint64_t>(src * 1000 + dst * 100 + i));
        return random.between(0, i % 8 == 0 ? 400'000 : 300);
    };
    const auto seed_of = [](rank_t src, rank_t dst, std::int64_t i) {
        return static_cast<std::uint64_t>(src * 7919 + dst * 104729 + i * 31);
    };
    struct end {
        rank_t peer = 0;
        std::int64_t number = 0;
        bool sends = false;
        std::vector<std::byte> bytes;
        std::vector<message::send_part> from;
        std::vector<message::receive_part> into;
    };
    std::array<int, ranks> wrong{};
    const auto run_rank = [&](rank_t rank) {
        detail::splitmix64 random(static_cast<std::uint64_t>(rank));
        auto endpoint = reporting(fabric, rank);
        std::vector<end> ends;
        for (rank_t peer = 0; peer < ranks; ++peer)
            for (std::int64_t i = 0; peer != rank && i < messages; ++i)
                for (const bool sends : {false, true}) {
                    end made{peer, i, sends, {}, {}, {}};
                    if (sends) made.bytes = noise(size_of(rank, peer, i), seed_of(rank, peer, i));
                    else made.bytes.resize(static_cast<std::size_t>(size_of(peer, rank, i)));
                    for (bytes_t at = 0; at < std::ssize(made.bytes);) {
                        const bytes_t now = std::min(random.between(0, 9000), std::ssize(made.bytes) - at);
                        made.from.push_back({made.bytes.data() + at, now});
                        made.into.push_back({made.bytes.data() + at, now});
                        at += now;
                    }
                    ends.push_back(std::move(made));
                }
        for (std::int64_t i = std::ssize(ends) - 1; i > 0; --i)
            std::swap(ends[static_cast<std::size_t>(i)], ends[static_cast<std::size_t>(random.between(0, i))]);
        int completed = 0;
        const auto take = [&](const completion& c) {
            if (c.request.owner == nullptr) return c.error;
            ++completed;
            const end& one = ends[static_cast<std::size_t>(c.request.node)];
            const bool right =
                c.error == 0 && c.peer == one.peer &&
                (one.sends || one.bytes == noise(std::ssize(one.bytes), seed_of(one.peer, rank, one.number)));
            wrong[static_cast<std::size_t>(rank)] += right ? 0 : 1;
            return 0;
        };
        for (std::size_t i = 0; i < ends.size(); ++i) {
            const auto number = static_cast<std::uint64_t>(ends[i].number);
            const message::key named{ends[i].peer,   number % 3, number % 2,
                                     ends[i].number, 1,          {&owner, static_cast<std::int64_t>(i)}};
            ends[i].sends ? endpoint.post_send(named, ends[i].from) : endpoint.post_recv(named, ends[i].into);
            if (random.between(0, 3) == 0) take(endpoint.poll());
        }
        while (completed < std::ssize(ends))
            if (take(endpoint.wait_any(60s)) != 0) break;
        wrong[static_cast<std::size_t>(rank)] += completed == std::ssize(ends) ? 0 : 1000;
    };
    std::vector<std::thread> threads;
    for (rank_t rank = 0; rank < ranks; ++rank) threads.emplace_back(run_rank, rank);
    for (std::thread& one : threads) one.join();
    CHECK(wrong == std::array<int, ranks>{});
}

TEST_CASE("thread_fabric: a cancelled message is not matched any more, nor reported; those of other owners stay") {
    thread_fabric fabric(2);
    auto zero = reporting(fabric, 0), one = reporting(fabric, 1);
    two_ends gone(large, 1), kept(large, 2), after(large, 3);
    message::key kept_key = key(1, 1, 8);
    kept_key.request.owner = &another_owner;
    zero.post_send(key(1, 0, 1), gone.source());
    zero.post_send(kept_key, kept.source());
    CHECK(is_nothing(one.poll()));  // in the receiver's hands
    zero.cancel(&owner);
    one.post_recv(key(0, 0, 2), gone.target());
    CHECK(is_nothing(one.poll()));
    one.post_recv(key(0, 1, 3), kept.target());
    CHECK(one.poll().request.node == 3);
    CHECK(zero.poll().request.owner == &another_owner);
    CHECK(kept.received == kept.sent);
    // A receive, before its send has come, and after it: the send ends then.
    one.cancel(&owner);
    one.post_recv(key(0, 2, 5), after.target());
    one.cancel(&owner);
    zero.post_send(key(1, 2, 4), after.source());
    CHECK((is_nothing(one.poll()) && is_nothing(zero.poll())));
    one.post_recv(key(0, 2, 6), after.target());
    one.cancel(&owner);
    CHECK(is_nothing(one.poll()));
    const completion ended = zero.poll();
    CHECK((ended.request.node == 4 && ended.error == thread_fabric::error::withdrawn));
    CHECK(gone.received == std::vector<std::byte>(static_cast<std::size_t>(large)));
    CHECK(after.received == std::vector<std::byte>(static_cast<std::size_t>(large)));
    // A completion that is not yet reported.
    zero.post_send(key(1, 3, 9), after.source());
    one.post_recv(key(0, 3, 10), after.target());
    CHECK(one.poll().request.node == 10);
    zero.cancel(&owner);
    CHECK(is_nothing(zero.poll()));
}

TEST_CASE("thread_fabric: repeated cancellation takes no more memory") {
    thread_fabric fabric(2);
    auto zero = reporting(fabric, 0), one = reporting(fabric, 1);
    two_ends lost(30, 1);
    long before = 0;
    for (std::uint64_t epoch = 0; epoch < 2000; ++epoch) {
        if (epoch == 100) before = support::allocations;
        message::key named = key(1, 0);
        named.epoch = epoch;
        zero.post_send(named, lost.source());
        named.peer = 0;
        named.epoch += 1'000'000;
        one.post_recv(named, lost.target());
        if (epoch % 2 == 0) one.poll();
        zero.cancel(&owner);
        one.cancel(&owner);
        CHECK(is_nothing(one.poll()));
        CHECK(is_nothing(zero.poll()));
    }
    const long after = support::allocations;
    CHECK(before > 0);
    CHECK(after == before);
}

TEST_CASE("thread_fabric: no thread accesses the memory of cancelled messages") {
    thread_fabric fabric(2);
    constexpr int rounds = 150;
    constexpr bytes_t size = 2'000'000;
    const std::vector<std::byte> expected = noise(size, 1);
    std::barrier together(2);
    int received = 0, wrong = 0;
    std::thread receiver([&] {
        auto one = reporting(fabric, 1);
        std::vector<std::byte> arrived(expected.size());
        const message::receive_part into = in(arrived);
        for (int round = 0; round < rounds; ++round) {
            std::fill(arrived.begin(), arrived.end(), std::byte{});
            together.arrive_and_wait();
            one.post_recv(key(0, round), {&into, 1});
            const completion end = one.wait_any(round % 10 == 0 ? 60s : 3ms);
            one.cancel(&owner);
            if (end.request.owner != &owner || end.error == thread_fabric::error::withdrawn) continue;
            ++received;
            wrong += end.error != 0 || arrived != expected ? 1 : 0;
        }
    });
    auto zero = reporting(fabric, 0);
    detail::splitmix64 random(5);
    for (int round = 0; round < rounds; ++round) {
        const auto sent = std::make_unique<std::vector<std::byte>>(expected);
        const message::send_part from = out(*sent);
        together.arrive_and_wait();
        zero.post_send(key(1, round), {&from, 1});
        if (round % 10 == 0) zero.wait_any(60s);
        const auto until = clock_type::now() + std::chrono::microseconds(random.between(0, 400));
        while (clock_type::now() < until)
            if (round % 2 == 0) zero.poll();
        zero.cancel(&owner);
        std::fill(sent->begin(), sent->end(), std::byte{0xee});
    }
    receiver.join();
    CHECK(wrong == 0);
    CHECK(received >= rounds / 10);
    MESSAGE(received << " of " << rounds << " messages came through");
}

TEST_CASE("thread_fabric: a wait ends when its time is up, and not before") {
    thread_fabric fabric(2);
    auto zero = reporting(fabric, 0);
    two_ends never(8, 1);
    zero.post_recv(key(1, 0), never.target());
    const support::shortest_waits shortest([&] { CHECK(is_nothing(zero.wait_any(20ms))); }, 20ms, 5ms, 100);
    CHECK(shortest.wait >= 20ms);
    CHECK(shortest.wait <= shortest.sleep + 5ms);
    CHECK(is_nothing(zero.wait_any(0ns)));
    CHECK(is_nothing(zero.wait_any(-5s)));
}

TEST_CASE("thread_fabric: a message wakes a sleeping thread, with and without an end to the wait") {
    for (const std::chrono::nanoseconds timeout : {forever, std::chrono::nanoseconds(60s)}) {
        thread_fabric fabric(2);
        two_ends late(8, 1);
        std::thread sender([&] {
            std::this_thread::sleep_for(20ms);
            auto one = reporting(fabric, 1);
            one.post_send(key(0, 0), late.source());
            CHECK(one.wait_any(60s).request.owner == &owner);
        });
        auto zero = reporting(fabric, 0);
        zero.post_recv(key(1, 0), late.target());
        CHECK(zero.wait_any(timeout).request.owner == &owner);
        CHECK(late.received == late.sent);
        sender.join();
    }
}

TEST_CASE("thread_fabric: when closed, no thread waits for ever, and earlier completions are reported") {
    thread_fabric fabric(3);
    two_ends done(8, 1), missing(8, 2);
    std::thread sleeper([&] {
        auto two = reporting(fabric, 2);
        two.post_recv(key(0, 0), missing.target());
        const completion end = two.wait_any(forever);
        CHECK(end.request.owner == nullptr);
        CHECK(end.error == thread_fabric::error::closed);
    });
    std::this_thread::sleep_for(10ms);
    auto zero = reporting(fabric, 0), one = reporting(fabric, 1);
    zero.post_send(key(1, 0, 4), done.source());
    one.post_recv(key(0, 0, 5), done.target());
    fabric.close();
    sleeper.join();
    CHECK(one.wait_any(forever).request.node == 5);
    CHECK(one.wait_any(forever).error == thread_fabric::error::closed);
    CHECK(one.wait_any(5s).error == thread_fabric::error::closed);
    CHECK(zero.poll().request.node == 4);
    CHECK(is_nothing(zero.poll()));
    CHECK(zero.wait_any(forever).error == thread_fabric::error::closed);
}

TEST_CASE("thread_fabric: a large message is combined where it arrives, of several parts too") {
    const auto add = [](void* context, std::byte* into, const std::byte* incoming, bytes_t size, action) {
        if (context != nullptr) throw 7;
        for (bytes_t i = 0; i < size; ++i)
            into[i] = static_cast<std::byte>(static_cast<int>(into[i]) + static_cast<int>(incoming[i]));
    };
    enum kind { whole, halves, another_size, throws };
    int thrower = 0;
    for (const kind sent_as : {whole, halves, another_size, throws}) {
        CAPTURE(sent_as);
        thread_fabric fabric(2);
        auto zero = reporting(fabric, 0), one = reporting(fabric, 1);
        const auto bytes = static_cast<std::size_t>(large);
        const std::vector<std::byte> sent(bytes, std::byte{2}), operand(bytes + 1, std::byte{40});
        std::vector<std::byte> into(bytes + 1, std::byte{1});
        const message::send_part two[] = {{sent.data(), large / 2}, {sent.data() + large / 2, large / 2}},
                                 all{sent.data(), large};
        const reduction op{add, sent_as == throws ? &thrower : nullptr};
        const bytes_t size = sent_as == another_size ? large + 1 : large;
        CHECK(zero.post_send(key(1, 0, 5), sent_as == halves ? std::span(two) : std::span(&all, 1)) == 0);
        CHECK(one.post_recv_combine(key(0, 0, 6),
                                    {{into.data(), size}, {operand.data(), size}, action::combine_after, &op}) == 0);
        if (sent_as == throws) CHECK_THROWS_AS(one.poll(), int);
        completion received = one.poll(), returned = zero.poll();
        for (int i = 0; i < 10 && (is_nothing(received) || is_nothing(returned)); ++i) {
            if (is_nothing(received)) received = one.poll();
            if (is_nothing(returned)) returned = zero.poll();
        }
        const int wanted = sent_as == another_size ? thread_fabric::error::size_mismatch
                           : sent_as == throws     ? thread_fabric::error::combine_failed
                                                   : 0;
        CHECK((received.error == wanted && returned.error == wanted));
        CHECK((received.request.node == 6 && returned.request.node == 5));
        if (wanted != 0) continue;
        std::vector<std::byte> expected(bytes, std::byte{42});
        expected.push_back(std::byte{1});
        CHECK(into == expected);
    }
}

TEST_CASE(
    "thread_fabric: a short message whose reduction throws is complete at its sender, and fails at its receiver") {
    const auto fail = [](void*, std::byte*, const std::byte*, bytes_t, action) { throw 7; };
    for (const bool early : {false, true}) {
        thread_fabric fabric(2);
        auto zero = fabric.at(0), one = fabric.at(1);
        const std::vector<std::byte> sent(8);
        std::vector<std::byte> into(8);
        const message::send_part whole{sent.data(), 8};
        const reduction op{fail, nullptr};
        if (early) CHECK(zero.post_send(key(1, 0, 5), {&whole, 1}) == already_complete);
        CHECK(one.post_recv_combine(key(0, 0, 6), {{into.data(), 8}, {into.data(), 8}, action::combine_after, &op}) ==
              0);
        if (!early) CHECK(zero.post_send(key(1, 0, 5), {&whole, 1}) == already_complete);
        CHECK_THROWS_AS(one.poll(), int);
        CHECK(one.poll().error == thread_fabric::error::combine_failed);
        CHECK(is_nothing(zero.poll()));
    }
}

TEST_CASE("thread_fabric: it has the ranks that it was made with") { CHECK(thread_fabric(3).ranks() == 3); }
