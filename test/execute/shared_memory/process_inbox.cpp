#include "collsched/execute/shared_memory/process_inbox.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <vector>

using namespace collsched;

namespace {

/// An inbox of rank 1, and the rings from and to rank 0.
struct receiving_rank {
    receiving_rank() {
        REQUIRE(!group.join(room, 2, 1, {.single_copy = false}));
        out = std::make_unique<process_outbox>(group, done);
        in = std::make_unique<process_inbox>(group, *out, done);
        writer = group.segment().writer(0, 1);
        answers = group.segment().reader(1, 0);
    }

    void post(std::int64_t sequence, std::span<const piece> pieces) {
        in->post({0, 3, 5, sequence, 77, {this, sequence}}, pieces);
    }
    /// As if rank 0 had sent a record.
    void send(process_note::kind kind, std::uint64_t id, std::int64_t sequence, bytes_t size,
              std::span<const std::byte> bytes = {}) {
        const process_envelope about{3, 5, sequence, 77, size, {0, 0, 0, id}};
        const bool has_about = kind != process_note::part;
        const std::size_t before = has_about ? sizeof about : 0;
        std::byte* const at = writer.reserve({static_cast<std::uint32_t>(before + bytes.size()), kind, id, 0});
        REQUIRE(at != nullptr);
        if (has_about) std::memcpy(at, &about, sizeof about);
        if (!bytes.empty()) std::memcpy(at + before, bytes.data(), bytes.size());
        writer.commit();
        in->drain(0);
    }
    /// The next record to rank 0, of kind 0 if there is none.
    ring_record answer() {
        const ring_record* const record = answers.front();
        if (record == nullptr) return {};
        const ring_record found = *record;
        answers.pop();
        return found;
    }
    /// The error of the next completion, which must be of this receive; -1 if there is none.
    int next_done(std::int64_t sequence) {
        if (done.empty()) return -1;
        const completion first = done.front();
        done.pop();
        CHECK((first.token.owner == this && first.token.node == sequence && first.peer == 0));
        return first.error;
    }

    process_room room;
    process_group group;
    process_message_queue<completion> done;
    std::unique_ptr<process_outbox> out;
    std::unique_ptr<process_inbox> in;
    ring_writer writer;
    ring_reader answers;
};

}  // namespace

TEST_CASE("small messages meet their receives, whichever is first") {
    receiving_rank rank;
    const std::vector<std::byte> bytes{std::byte{1}, std::byte{2}, std::byte{3}};
    std::vector<std::byte> into(3), early(3);
    const piece in{into.data(), 3}, in_early{early.data(), 3};
    rank.post(0, {&in, 1});
    rank.send(process_note::small, 10, 1, 3, bytes);
    CHECK(rank.next_done(0) == -1);
    CHECK(rank.answer().kind == 0);
    rank.send(process_note::small, 11, 0, 3, bytes);
    CHECK(rank.next_done(0) == 0);
    CHECK(into == bytes);
    CHECK(rank.answer().id == 11);
    rank.post(1, {&in_early, 1});
    CHECK(rank.next_done(1) == 0);
    CHECK(early == bytes);
    CHECK(rank.answer().id == 10);
}

TEST_CASE("as many small messages as may be under way find a place on the shelf, again and again") {
    receiving_rank rank;
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < process_outbox::most_small; ++i) {
            const std::vector<std::byte> bytes(50, static_cast<std::byte>(i + round));
            rank.send(process_note::small, static_cast<std::uint64_t>(100 * round + i + 1), i, 50, bytes);
        }
        for (int i = process_outbox::most_small; i-- > 0;) {
            std::vector<std::byte> into(50);
            const piece in{into.data(), 50};
            rank.post(i, {&in, 1});
            CHECK(rank.next_done(i) == 0);
            CHECK(into == std::vector<std::byte>(50, static_cast<std::byte>(i + round)));
            CHECK(rank.answer().value == 0);
        }
    }
}

TEST_CASE("the bytes of an announced message are asked for, and fill the receive") {
    receiving_rank rank;
    std::vector<std::byte> into(6), bytes(4, std::byte{7});
    const piece in[] = {{into.data(), 1}, {into.data() + 1, 5}};
    rank.post(0, in);
    rank.send(process_note::announce, 10, 0, 6);
    const ring_record ask = rank.answer();
    CHECK((ask.kind == process_note::ask && ask.id == 10 && ask.value != 0));
    rank.send(process_note::part, ask.value, 0, 0, bytes);
    CHECK(rank.next_done(0) == -1);
    rank.send(process_note::part, ask.value + 1, 0, 0, bytes);  // of a receive that is not there
    rank.send(process_note::part, ask.value, 0, 0, std::span(bytes).first(2));
    CHECK(rank.next_done(0) == 0);
    CHECK(into == std::vector<std::byte>(6, std::byte{7}));
}

TEST_CASE("a message that its sender takes back is forgotten, or ends the receive that it had met") {
    receiving_rank rank;
    std::vector<std::byte> into(6);
    const piece in{into.data(), 6};
    rank.send(process_note::announce, 10, 0, 6);
    rank.send(process_note::take_back, 10, 0, 6);
    rank.post(0, {&in, 1});
    CHECK((rank.next_done(0) == -1 && rank.answer().kind == 0));
    rank.send(process_note::announce, 11, 0, 6);
    CHECK(rank.answer().kind == process_note::ask);
    rank.send(process_note::take_back, 12, 0, 6);
    CHECK(rank.next_done(0) == -1);
    rank.send(process_note::take_back, 11, 0, 6);
    CHECK(rank.next_done(0) == process_error::withdrawn);
}

TEST_CASE("what is cancelled is not reported, and its sender is told if the two had met") {
    receiving_rank rank;
    std::vector<std::byte> into(6);
    const piece in{into.data(), 6};
    rank.post(0, {&in, 1});
    rank.post(1, {&in, 1});
    rank.send(process_note::announce, 11, 1, 6);
    CHECK(rank.answer().kind == process_note::ask);
    rank.in->cancel(&rank.done);
    CHECK(rank.answer().kind == 0);
    rank.in->cancel(&rank);
    const ring_record told = rank.answer();
    CHECK((told.kind == process_note::answer && told.id == 11 && told.value == process_error::withdrawn));
    CHECK(rank.answer().kind == 0);
    CHECK(rank.done.empty());
}
