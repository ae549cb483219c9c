#include "collsched/execute/shared_memory/detail/inbox.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <csignal>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "collsched/execute/shared_memory/process_group.hpp"
#include "support/processes.hpp"

using namespace collsched;
using namespace collsched::detail;

namespace {

/// An inbox of rank 1 of 3, and the rings from and to the others.
struct receiving_rank {
    receiving_rank() {
        REQUIRE(!group.join(room, 3, 1, {.ring_bytes = 32768, .single_copy = false}));
        out = std::make_unique<message_outbox<process_group>>(group, done);
        in = std::make_unique<message_inbox<process_group>>(group, *out, done, false, 300);
        writer = ring_writer(group.segment().memory(0, 1));
        writer_of_2 = ring_writer(group.segment().memory(2, 1));
        notes = ring_reader(group.segment().memory(1, 0));
    }

    void post(std::int64_t sequence, std::span<const message::receive_part> parts) {
        in->post({0, 3, 5, sequence, 77, {this, sequence}}, parts);
    }
    /// Writes the description of a message that records of a kind have, if there is memory. Returns its bytes.
    static std::size_t describe(std::uint32_t kind, const message_envelope* about, std::byte* at) {
        if (about == nullptr || kind == message_record::part || kind == message_record::take_back) return 0;
        const message_label label{about->channel, about->sequence};
        const bool is_small = kind == message_record::small || kind == message_record::awaited;
        const std::size_t bytes = is_small ? sizeof label : sizeof *about;
        if (at != nullptr) std::memcpy(at, is_small ? static_cast<const void*>(&label) : about, bytes);
        return bytes;
    }
    /// As if rank 0 had sent a record.
    void send(message_record::kind kind, std::uint64_t id, std::int64_t sequence, bytes_t size,
              std::span<const std::byte> bytes = {}) {
        const message_envelope about{3, 5, sequence, 77, size, {0, 0, 0, id}};
        const std::size_t before = describe(kind, &about, nullptr);
        const bool is_small = kind == message_record::small || kind == message_record::awaited;
        const std::uint64_t value = is_small ? about.epoch : 0;
        const std::uint32_t written = is_small ? message_record::kind_with(kind, about.fingerprint) : kind;
        std::byte* const at = writer.reserve({static_cast<std::uint32_t>(before + bytes.size()), written, id, value});
        REQUIRE(at != nullptr);
        describe(kind, &about, at);
        if (!bytes.empty()) std::memcpy(at + before, bytes.data(), bytes.size());
        writer.commit();
        REQUIRE(in->drain(0));
    }
    /// Whether the inbox takes in a record of any kind: `about`, if there is one, and that many bytes after it.
    bool takes(ring_record head, const message_envelope* about = nullptr, std::size_t bytes = 0, rank_t from = 0) {
        ring_writer& ring = from == 0 ? writer : writer_of_2;
        const std::size_t before = describe(head.kind, about, nullptr);
        head.bytes = static_cast<std::uint32_t>(before + bytes);
        const std::uint32_t kind = head.kind;
        if (about != nullptr && kind == message_record::small) head.value = about->epoch;
        if (about != nullptr && kind == message_record::small)
            head.kind = message_record::kind_with(kind, about->fingerprint);
        std::byte* const at = ring.reserve(head);
        REQUIRE(at != nullptr);
        describe(kind, about, at);
        std::memset(at + before, 0xee, bytes);
        ring.commit();
        return in->drain(from);
    }
    /// The next record to rank 0, of kind 0 if there is none.
    ring_record next_note() {
        const ring_record* const record = notes.front();
        if (record == nullptr) return {};
        const ring_record found = *record;
        notes.pop();
        return found;
    }
    /// The error of the next completion, which must be of this receive; -1 if there is none.
    int next_done(std::int64_t sequence) {
        if (done.empty()) return -1;
        const completion first = done.front();
        done.pop();
        CHECK((first.request.owner == this && first.request.node == sequence && first.peer == 0));
        return first.error;
    }

    process_group::anonymous_segment room;
    process_group group;
    message_queue<completion> done;
    std::unique_ptr<message_outbox<process_group>> out;
    std::unique_ptr<message_inbox<process_group>> in;
    ring_writer writer, writer_of_2;
    ring_reader notes;
};

}  // namespace

TEST_CASE("message_inbox: small messages match their receives in either order") {
    receiving_rank rank;
    const std::vector<std::byte> bytes{std::byte{1}, std::byte{2}, std::byte{3}};
    std::vector<std::byte> into(3), early(3);
    const message::receive_part in{into.data(), 3}, in_early{early.data(), 3};
    rank.post(0, {&in, 1});
    rank.send(message_record::small, 10, 1, 3, bytes);
    CHECK(rank.next_done(0) == -1);
    CHECK(rank.next_note().kind == 0);
    rank.send(message_record::small, 11, 0, 3, bytes);
    CHECK(rank.next_done(0) == 0);
    CHECK(into == bytes);
    rank.post(1, {&in_early, 1});
    CHECK(rank.next_done(1) == 0);
    CHECK(early == bytes);
    CHECK(rank.next_note().kind == 0);  // eight are reported at once
}

TEST_CASE("message_inbox: small messages of a rank that has left are received, other messages with it end") {
    receiving_rank rank;
    const std::vector<std::byte> bytes(3, std::byte{1});
    std::vector<std::byte> into(3);
    const message::receive_part in{into.data(), 3};
    rank.send(message_record::small, 10, 0, 3, bytes);
    rank.send(message_record::announce, 11, 1, 3);
    rank.post(2, {&in, 1});
    const auto key = [](std::int64_t sequence) { return message::key{0, 3, 5, sequence, 77}; };
    CHECK((rank.in->has_arrived(key(0)) && !rank.in->has_arrived(key(1)) && !rank.in->has_arrived(key(2))));
    rank.in->lose(0, message::error::peer_left);
    CHECK(rank.next_done(2) == message::error::peer_left);
    CHECK((rank.in->has_arrived(key(0)) && !rank.in->has_arrived(key(1))));
    rank.post(0, {&in, 1});
    CHECK(rank.next_done(0) == 0);
    CHECK(into == bytes);
    rank.send(message_record::small, 12, 3, 3, bytes);
    rank.in->lose(0, message::error::peer_died);
    CHECK(!rank.in->has_arrived(key(3)));
}

TEST_CASE("message_inbox: the shelf has room for all small messages in flight, repeatedly") {
    receiving_rank rank;
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < most_small(3); ++i) {
            const std::vector<std::byte> bytes(50, static_cast<std::byte>(i + round));
            rank.send(message_record::small, static_cast<std::uint64_t>(most_small(3) * round + i + 1), i, 50, bytes);
        }
        for (int i = most_small(3); i-- > 0;) {
            std::vector<std::byte> into(50);
            const message::receive_part in{into.data(), 50};
            rank.post(i, {&in, 1});
            CHECK(rank.next_done(i) == 0);
            CHECK(into == std::vector<std::byte>(50, static_cast<std::byte>(i + round)));
            const std::uint32_t note = rank.next_note().kind;
            CHECK((note == 0 || note == message_record::matched));
        }
    }
}

TEST_CASE("message_inbox: the bytes of an announced message are requested, and fill the receive") {
    receiving_rank rank;
    std::vector<std::byte> into(6), bytes(4, std::byte{7});
    const message::receive_part in[] = {{into.data(), 1}, {into.data() + 1, 5}};
    rank.post(0, in);
    rank.send(message_record::announce, 10, 0, 6);
    const ring_record request = rank.next_note();
    CHECK((request.kind == message_record::request && request.id == 10 && request.value != 0));
    rank.send(message_record::part, request.value, 0, 0, bytes);
    CHECK(rank.next_done(0) == -1);
    rank.send(message_record::part, request.value + 1, 0, 0, bytes);  // of a receive that is not there
    rank.send(message_record::part, request.value, 0, 0, std::span(bytes).first(2));
    CHECK(rank.next_done(0) == 0);
    CHECK(into == std::vector<std::byte>(6, std::byte{7}));
}

TEST_CASE("message_inbox: an early announced message is requested by its receive, and uses no slot of the shelf") {
    receiving_rank rank;
    const std::vector<std::byte> first(3, std::byte{1}), second(3, std::byte{2});
    std::vector<std::byte> large(3), into(3);
    const message::receive_part in_large{large.data(), 3}, in{into.data(), 3};
    rank.send(message_record::small, 10, 0, 3, first);
    rank.send(message_record::announce, 11, 1, 3);
    rank.post(1, {&in_large, 1});
    CHECK(rank.next_done(1) == -1);
    const ring_record request = rank.next_note();
    CHECK((request.kind == message_record::request && request.id == 11));
    rank.send(message_record::small, 12, 2, 3, second);
    rank.post(0, {&in, 1});
    CHECK(rank.next_done(0) == 0);
    CHECK(into == first);
}

TEST_CASE("message_inbox: a withdrawn message is dropped, or ends its matched receive") {
    receiving_rank rank;
    std::vector<std::byte> into(6);
    const message::receive_part in{into.data(), 6};
    rank.send(message_record::announce, 10, 0, 6);
    rank.send(message_record::take_back, 10, 0, 6);
    rank.post(0, {&in, 1});
    CHECK((rank.next_done(0) == -1 && rank.next_note().kind == 0));
    rank.send(message_record::announce, 11, 0, 6);
    CHECK(rank.next_note().kind == message_record::request);
    rank.send(message_record::take_back, 12, 0, 6);
    CHECK(rank.next_done(0) == -1);
    const message_envelope same{3, 5, 0, 77, 6, {}};
    CHECK(rank.takes({0, message_record::take_back, 11, 0}, &same, 0, 2));  // by another rank
    CHECK(rank.next_done(0) == -1);
    rank.send(message_record::take_back, 11, 0, 6);
    CHECK(rank.next_done(0) == message::error::withdrawn);
}

TEST_CASE("lose: ends the receives from the lost rank and no others") {
    receiving_rank rank;
    const std::vector<std::byte> bytes(3);
    std::vector<std::byte> into(6), early(3);
    const message::receive_part in{into.data(), 6}, in_early{early.data(), 3};
    rank.send(message_record::small, 10, 2, 3, bytes);
    rank.post(0, {&in, 1});
    rank.post(1, {&in, 1});
    rank.send(message_record::announce, 11, 1, 6);
    rank.in->lose(2, 9);
    CHECK(rank.done.empty());
    rank.in->lose(0, 9);
    std::vector<std::int64_t> ended;
    for (; !rank.done.empty(); rank.done.pop()) {
        CHECK((rank.done.front().error == 9 && rank.done.front().peer == 0));
        ended.push_back(rank.done.front().request.node);
    }
    std::sort(ended.begin(), ended.end());
    CHECK(ended == std::vector<std::int64_t>{0, 1});
    rank.post(2, {&in_early, 1});
    CHECK(rank.next_done(2) == -1);  // the early message was dropped
}

TEST_CASE("message_inbox: a cancelled receive is not reported, and its sender gets a reply if the two had matched") {
    receiving_rank rank;
    std::vector<std::byte> into(6);
    const message::receive_part in{into.data(), 6};
    rank.post(0, {&in, 1});
    rank.post(1, {&in, 1});
    rank.send(message_record::announce, 11, 1, 6);
    CHECK(rank.next_note().kind == message_record::request);
    rank.in->cancel(&rank.done);
    CHECK(rank.next_note().kind == 0);
    rank.in->cancel(&rank);
    const ring_record reply = rank.next_note();
    CHECK((reply.kind == message_record::reply && reply.id == 11 && reply.value == message::error::withdrawn));
    CHECK(rank.next_note().kind == 0);
    CHECK(rank.done.empty());
}

namespace {

/// Memory for one receive, between bytes that nothing may write.
struct fenced_bytes {
    explicit fenced_bytes(std::size_t size) : memory(size + 200), into{memory.data() + 100, std::ssize(memory) - 200} {}
    bool fences_hold() const {
        for (std::size_t i = 0; i < 100; ++i)
            if (memory[i] != std::byte{} || memory[memory.size() - 1 - i] != std::byte{}) return false;
        return true;
    }
    std::vector<std::byte> memory;
    message::receive_part into;
};
message_envelope about(std::int64_t sequence, bytes_t size) { return {3, 5, sequence, 77, size, {}}; }

}  // namespace

TEST_CASE(
    "message_inbox: a small message of another size than its receive is the error of the receive, and is not written") {
    for (const bytes_t size : {0, 1, 63, 65, 100, 4000}) {
        receiving_rank rank;
        fenced_bytes bytes(64);
        rank.post(0, {&bytes.into, 1});
        const message_envelope other = about(0, size);
        CHECK(rank.takes({0, message_record::small, 10, 0}, &other, static_cast<std::size_t>(size)));
        CHECK(rank.next_done(0) == message::error::size_mismatch);
        CHECK(bytes.fences_hold());
    }
}

TEST_CASE("message_inbox: an early message of negative size or beyond the limit of small ones is rejected") {
    const bytes_t longest = longest_small(32768);
    for (const bytes_t size : {longest, longest + 1, longest + 4000}) {
        receiving_rank rank;
        const message_envelope one = about(0, size);
        CHECK(rank.takes({0, message_record::small, 10, 0}, &one, static_cast<std::size_t>(size)) == (size == longest));
    }
    for (const bytes_t size : {std::numeric_limits<bytes_t>::min(), bytes_t{-1}}) {
        receiving_rank rank;
        const message_envelope one = about(0, size);
        CHECK(!rank.takes({0, message_record::announce, 10, 0}, &one));
    }
}

TEST_CASE("early messages are bounded: small ones by the shelf, all by a number") {
    for (const auto kind : {message_record::small, message_record::announce}) {
        receiving_rank rank;
        const std::int64_t most = kind == message_record::small ? most_small(3) : 300;
        for (std::int64_t i = 0; i < 2 * most; ++i) {  // those that are forgotten leave room
            const message_envelope one = about(i % most, 0);
            const auto id = static_cast<std::uint64_t>(i % most + 1);
            CHECK(rank.takes({0, kind, id, 0}, &one));
            if (i < most) CHECK(rank.takes({0, message_record::take_back, id, 0}, &one));
        }
        const message_envelope one = about(most, 0);
        CHECK(!rank.takes({0, kind, 1000, 0}, &one));
        CHECK(rank.takes({0, kind, 1000, 0}, &one, 0, 2));  // of another rank
    }
}

TEST_CASE("message_inbox: a record of unknown kind, without id or with a wrong length is rejected") {
    const message_envelope one = about(0, 0);
    for (const std::uint32_t kind : {std::uint32_t{message_record::share}, 10U, 0x80000000U, 0xffffffffU}) {
        receiving_rank rank;
        CHECK(!rank.takes({0, kind, 10, 0}, &one));
    }
    for (std::uint32_t kind = message_record::small; kind <= message_record::awaited; ++kind) {
        receiving_rank rank;
        fenced_bytes bytes(64);
        rank.post(0, {&bytes.into, 1});  // has not met a send, so its send has no id
        CHECK(!rank.takes({0, kind, 0, 0}, &one));
        CHECK(rank.done.empty());
    }
    for (const std::uint32_t kind : {message_record::announce, message_record::matched}) {
        for (const std::size_t bytes : {std::size_t{0}, sizeof one - 1, sizeof one + 1, std::size_t{5000}}) {
            receiving_rank rank;
            CHECK(!rank.takes({0, kind, 10, 0}, nullptr, bytes));
        }
    }
    for (const std::uint32_t kind : {message_record::request, message_record::reply, message_record::take_back}) {
        receiving_rank rank;
        CHECK(!rank.takes({0, kind, 10, 0}, nullptr, 1));
    }
    receiving_rank rank;
    std::byte* const at = rank.writer.reserve({sizeof(message_label) - 1, message_record::small, 10, 0});
    REQUIRE(at != nullptr);
    std::memset(at, 0, sizeof(message_label) - 1);
    rank.writer.commit();
    CHECK(!rank.in->drain(0));
}

TEST_CASE("message_inbox: parts that are too long or from another rank are rejected") {
    for (const int fault : {0, 1, 2}) {
        receiving_rank rank;
        fenced_bytes bytes(64);
        rank.post(1, {&bytes.into, 1});
        rank.send(message_record::announce, 11, 1, 64);
        const std::uint64_t id = rank.next_note().value;
        if (fault == 0) CHECK(!rank.takes({0, message_record::part, id, 0}, nullptr, 65));
        if (fault == 1) CHECK(rank.takes({0, message_record::part, id, 0}, nullptr, 60));
        if (fault == 1) CHECK(!rank.takes({0, message_record::part, id, 0}, nullptr, 5));
        if (fault == 2) CHECK(!rank.takes({0, message_record::part, id, 0}, nullptr, 64, 2));
        CHECK((bytes.fences_hold() && rank.done.empty()));
    }
}

TEST_CASE(
    "message_inbox: parts that were not requested are rejected, and are not written where an earlier receive was") {
    receiving_rank rank;
    std::uint64_t id = 0;
    {
        std::vector<std::byte> freed(64);
        const message::receive_part into{freed.data(), 64};
        rank.post(0, {&into, 1});
        rank.send(message_record::announce, 10, 0, 64);
        id = rank.next_note().value;
        CHECK(rank.takes({0, message_record::part, id, 0}, nullptr, 10));
        rank.in->cancel(&rank);
        CHECK(rank.next_note().kind == message_record::reply);
    }
    fenced_bytes bytes(9000);  // too long to be combined from its record, so that it has a place
    rank.post(1, {&bytes.into, 1});
    const std::uint64_t next = id + (std::uint64_t{1} << 32);  // the same place: ids are easy to guess
    CHECK(!rank.takes({0, message_record::part, next, 0}, nullptr, 30));
    CHECK(bytes.fences_hold());
}

TEST_CASE("message_inbox: drain reads at most one ring") {
    receiving_rank rank;
    support::rank_processes writing(1, [&](rank_t) -> std::string {
        for (;;)  // records of no receive that is there
            if (rank.writer.reserve({8, message_record::part, 12345, 0}) != nullptr) rank.writer.commit();
    });
    ring_control& control = *rank.group.segment().memory(0, 1).control;
    for (int i = 0, full = 0; i < 100'000 && full < 5; ++i) {  // until it has written meanwhile a few times
        const std::uint64_t before = control.read.load();
        const bool right = rank.in->drain(0);
        const std::uint64_t taken = control.read.load() - before;
        if (!right || taken > 32768 + 4096) FAIL("more than one ring");
        if (taken > 28672) ++full;
    }
    ::kill(writing.pid(0), SIGKILL);
}

TEST_CASE("message_inbox: a small message whose sender waits ends with a reply, received at once or late") {
    for (const bool posted : {true, false}) {
        receiving_rank rank;
        const std::vector<std::byte> bytes(3, std::byte{1});
        std::vector<std::byte> into(3);
        const message::receive_part in{into.data(), 3};
        if (posted) rank.post(0, {&in, 1});
        rank.send(message_record::awaited, 10, 0, 3, bytes);
        if (!posted) CHECK(rank.next_note().kind == 0);
        if (!posted) rank.post(0, {&in, 1});
        CHECK(rank.next_done(0) == 0);
        CHECK(into == bytes);
        const ring_record reply = rank.next_note();
        CHECK((reply.kind == message_record::reply && reply.id == 10 && reply.value == 0));
    }
}
