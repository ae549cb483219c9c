#include "collsched/execute/shared_memory/detail/outbox.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "collsched/execute/shared_memory/process_group.hpp"

using namespace collsched;
using namespace collsched::detail;

namespace {

/// An outbox of rank 0, and the ring that rank 1 would read.
struct sending_rank {
    explicit sending_rank(bytes_t ring_bytes) {
        REQUIRE(!group.join(room, 3, 0, {.ring_bytes = ring_bytes}));
        out = std::make_unique<message_outbox<process_group>>(group, done);
        ring = ring_reader(group.segment().memory(0, 1));
    }

    int post(std::int64_t sequence, std::span<const message::send_part> parts) {
        const message::key key{1, 3, 5, sequence, 77, {this, sequence}};
        const int posted = out->post(key, parts);
        return posted != out->no_slot ? posted : out->post_later(key, parts, 0, false);
    }
    struct seen {
        ring_record head;
        message_envelope envelope;
        std::vector<std::byte> bytes;
    };
    /// Takes the next record out of the ring, which must be one of this kind.
    seen take(message_record::kind kind) {
        const ring_entry* const record = ring.front();
        REQUIRE(record != nullptr);
        REQUIRE(message_record::kind_of(*record) == kind);
        seen found{*record, {}, {}};
        const std::byte* at = record->body;
        const std::byte* const end = at + record->bytes;
        if (kind == message_record::small || kind == message_record::awaited) {
            found.envelope = small_message(*record).envelope;
            at += sizeof(message_label);
        } else if (kind == message_record::announce) {
            std::memcpy(&found.envelope, at, sizeof found.envelope);
            at += sizeof found.envelope;
        }
        found.bytes.assign(at, end);
        ring.pop();
        return found;
    }

    process_group::anonymous_segment room;
    process_group group;
    message_queue<completion> done;
    std::unique_ptr<message_outbox<process_group>> out;
    ring_reader ring;
};

std::uint64_t guard_of(const message_envelope& envelope) {
    return *reinterpret_cast<const std::uint64_t*>(static_cast<std::uintptr_t>(envelope.memory.guard));
}

}  // namespace

TEST_CASE("message_outbox: a small message is written with its bytes, a large one as an announcement") {
    sending_rank rank(4096);
    const bytes_t longest = longest_small(4096);
    const std::vector<std::byte> bytes(static_cast<std::size_t>(longest + 1), std::byte{9});
    const std::array<message::send_part, 2> small{message::send_part{bytes.data(), longest - 3},
                                                  message::send_part{bytes.data(), 3}};
    const std::array<message::send_part, 1> large{message::send_part{bytes.data(), longest + 1}};
    rank.post(0, small);
    rank.post(1, large);
    const auto first = rank.take(message_record::small);
    CHECK(first.envelope.size == longest);
    CHECK(first.envelope.sequence == 0);
    CHECK(first.bytes == std::vector<std::byte>(static_cast<std::size_t>(longest), std::byte{9}));
    const auto second = rank.take(message_record::announce);
    CHECK((second.envelope.channel == 3 && second.envelope.epoch == 5 && second.envelope.fingerprint == 77));
    CHECK(second.envelope.size == longest + 1);
    CHECK(second.envelope.memory.id == second.head.id);
    CHECK(guard_of(second.envelope) == second.head.id);
    CHECK(rank.done.empty());
    rank.out->handle_reply(1, {0, message_record::reply, second.head.id, 4});
    CHECK(guard_of(second.envelope) == 0);
    REQUIRE(!rank.done.empty());
    CHECK((rank.done.front().error == 4 && rank.done.front().peer == 1 && rank.done.front().request.node == 1));
    rank.done.pop();
    rank.out->handle_reply(1, {0, message_record::reply, second.head.id, 4});
    CHECK(rank.done.empty());
}

TEST_CASE("message_outbox: messages without room wait in order, and those cancelled meanwhile are not sent") {
    sending_rank rank(1024);
    std::int64_t posted = 0;
    while (!rank.out->has_waiting(1)) rank.post(posted++, {});
    rank.post(posted++, {});
    rank.out->cancel(&rank);
    rank.out->post({1, 3, 5, 1000, 77, {&rank.done, 0}}, {});
    std::int64_t sent = 0, taken_back = 0, last = -1;
    for (;;) {
        rank.out->flush(1);
        const ring_record* const record = rank.ring.front();
        if (record == nullptr) break;
        const bool is_back = record->kind == message_record::take_back;
        const auto found = rank.take(static_cast<message_record::kind>(message_record::kind_of(*record)));
        ++(is_back ? taken_back : sent);
        if (!is_back) CHECK(found.envelope.sequence > last);
        if (!is_back) last = found.envelope.sequence;
    }
    CHECK(last == 1000);
    CHECK(sent == posted - 2 + 1);
    CHECK(taken_back == posted);
    CHECK(!rank.out->has_waiting(1));
    REQUIRE(!rank.done.empty());  // the last one, once it was written
    CHECK((rank.done.front().error == 0 && rank.done.front().request.owner == &rank.done));
    rank.done.pop();
    CHECK(rank.done.empty());
}

TEST_CASE("message_outbox: requested bytes follow in parts, and the send is complete with the last") {
    sending_rank rank(1024);
    std::vector<std::byte> bytes(5000), came;
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i % 251);
    const message::send_part whole{bytes.data(), 5000};
    rank.post(0, {&whole, 1});
    const std::uint64_t id = rank.take(message_record::announce).head.id;
    rank.out->handle_request(1, {0, message_record::request, id, 42});
    while (rank.ring.front() != nullptr) {
        const auto part = rank.take(message_record::part);
        CHECK(part.head.id == 42);
        came.insert(came.end(), part.bytes.begin(), part.bytes.end());
        if (came.size() < bytes.size() / 2) CHECK(rank.done.empty());
        rank.out->flush(1);
    }
    CHECK(came == bytes);
    CHECK((!rank.done.empty() && rank.done.front().error == 0));
}

TEST_CASE("message_outbox: lose ends all sends to the rank with the error") {
    sending_rank rank(1024);
    int in_flight = 0, ended = 0;
    for (int i = 0; i < 50; ++i) in_flight += rank.post(i, {}) == 0 ? 1 : 0;  // the others are complete
    CHECK((in_flight > 0 && in_flight < 50));
    rank.out->lose(1, message::error::peer_died);
    for (; !rank.done.empty(); rank.done.pop(), ++ended) CHECK(rank.done.front().error == message::error::peer_died);
    CHECK(ended == in_flight);
    CHECK(!rank.out->has_waiting(1));
}

TEST_CASE("message_outbox: invalid requests and replies are rejected, and leave the send as it is") {
    sending_rank rank(1024);
    const std::vector<std::byte> bytes(5000);
    const message::send_part whole{bytes.data(), 5000};
    rank.post(0, {&whole, 1});
    rank.post(1, {});
    const std::uint64_t large = rank.take(message_record::announce).head.id,
                        small = rank.take(message_record::small).head.id;
    CHECK(!rank.out->handle_request(2, {0, message_record::request, large, 42}));  // another rank's message
    CHECK(!rank.out->handle_request(1, {0, message_record::request, large, 0}));
    CHECK(!rank.out->handle_request(1, {0, message_record::request, small, 42}));
    CHECK(!rank.out->handle_reply(2, {0, message_record::reply, large, 0}));
    for (const std::uint64_t error : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{6}, std::uint64_t{7},
                                      std::uint64_t{1} << 32, ~std::uint64_t{0}, ~std::uint64_t{8}})
        CHECK(!rank.out->handle_reply(1, {0, message_record::reply, large, error}));
    CHECK(rank.ring.front() == nullptr);
    CHECK(rank.out->handle_request(1, {0, message_record::request, large, 42}));
    CHECK(!rank.out->handle_request(1, {0, message_record::request, large, 42}));
    CHECK(rank.done.empty());
    CHECK(rank.out->handle_request(
        1, {0, message_record::request, large + (std::uint64_t{1} << 40), 42}));  // cancelled, perhaps
    CHECK(rank.out->handle_reply(1, {0, message_record::reply, ~std::uint64_t{0}, 0}));
    CHECK((!rank.out->handle_reply(1, {0, message_record::reply, small, 0}) && rank.done.empty()));  // it was complete
    CHECK(rank.out->handle_reply(1, {0, message_record::reply, large, 0}));
    while (rank.ring.front() != nullptr) rank.take(message_record::part);
    rank.post(2, {&whole, 1});  // in the place of one of them
    rank.post(3, {&whole, 1});
    for (int i = 0; i < 2; ++i)
        CHECK(
            rank.out->handle_request(1, {0, message_record::request, rank.take(message_record::announce).head.id, 42}));
}

TEST_CASE("message_outbox: a reader's counter beyond the bytes written breaks the ring") {
    sending_rank rank(1024);
    std::int64_t posted = 0;
    while (!rank.out->has_waiting(1)) rank.post(posted++, {});
    CHECK(rank.out->flush(1));
    ring_control& control = *rank.group.segment().memory(0, 1).control;
    control.read.store(std::uint64_t{1} << 63);
    CHECK(!rank.out->flush(1));
}

TEST_CASE("message_outbox: most_ahead() small messages may be unmatched, and reports of matches make room for others") {
    sending_rank rank(32768);
    const int most = most_ahead(3, rank.group.is_crowded());
    std::vector<std::uint64_t> ids;
    for (int i = 0; i < most; ++i) {
        CHECK(rank.post(i, {}) == already_complete);
        ids.push_back(rank.take(message_record::small).head.id);
        CHECK(ids.back() == ids[0] + static_cast<std::uint64_t>(i));
    }
    CHECK(rank.out->post({1, 3, 5, 1000, 77, {&rank, 0}}, {}) == rank.out->no_slot);
    CHECK(rank.post(1000, {}) == 0);
    const std::uint64_t large = rank.take(message_record::announce).head.id;
    const ring_record some{0, message_record::matched, ids[7], 0b1011};
    CHECK(rank.out->handle_matched(2, some));  // of another rank: without effect
    CHECK(rank.post(1001, {}) == 0);
    rank.take(message_record::announce);
    CHECK(rank.out->handle_matched(1, some));
    CHECK(rank.out->handle_matched(1, some));  // known no more
    for (const std::size_t freed : {7U, 8U, 10U}) {
        CHECK(rank.post(1002, {}) == already_complete);
        CHECK(rank.take(message_record::small).head.id == ids[freed] + static_cast<std::uint64_t>(most));
    }
    CHECK(rank.post(1003, {}) == 0);
    rank.take(message_record::announce);
    CHECK(!rank.out->handle_matched(1, {0, message_record::matched, large, 1}));  // none that was complete
    CHECK(rank.out->handle_matched(1, {0, message_record::matched, ids[0], ~std::uint64_t{0}}));
    CHECK(rank.done.empty());
}

TEST_CASE("message_outbox: matches are reported reported_at_once() at a time, those of neighbors together") {
    sending_rank rank(32768);
    const std::uint64_t first = std::uint64_t{1} << 62;
    const int together = reported_at_once(2);
    for (int i = together; i-- > 1;) rank.out->note_match(1, first + static_cast<std::uint64_t>(i));
    CHECK(rank.ring.front() == nullptr);
    rank.out->note_match(1, first + 63);
    const ring_record report = rank.take(message_record::matched).head;
    const std::uint64_t all = (std::uint64_t{1} << together) - 1;
    CHECK((report.id == first && report.value == ((all - 1) | std::uint64_t{1} << 63) && report.bytes == 0));
    rank.out->note_match(1, first);
    CHECK(rank.ring.front() == nullptr);
    rank.out->note_match(1, first + 64);  // no neighbor: those before it are reported
    const ring_record alone = rank.take(message_record::matched).head;
    CHECK((alone.id == first && alone.value == 1));
    for (int i = 1; i < together; ++i) rank.out->note_match(1, first + 64 + static_cast<std::uint64_t>(i));
    const ring_record last = rank.take(message_record::matched).head;
    CHECK((last.id == first + 64 && last.value == all));
}

TEST_CASE("message_outbox: a cancelled owner takes back its complete messages that have no receive") {
    sending_rank rank(32768);
    CHECK(rank.post(0, {}) == already_complete);
    const std::uint64_t id = rank.take(message_record::small).head.id;
    rank.out->cancel(&rank);
    CHECK(rank.take(message_record::take_back).head.id == id);
    rank.out->cancel(&rank);
    CHECK(rank.ring.front() == nullptr);
    CHECK(rank.post(1, {}) == already_complete);
    rank.out->disown(&rank.done);  // another owner
    CHECK(rank.post(2, {}) == already_complete);
    rank.take(message_record::small), rank.take(message_record::small);
    rank.out->disown(&rank);
    CHECK(rank.post(3, {}) == already_complete);
    const std::uint64_t last = rank.take(message_record::small).head.id;
    rank.out->cancel(&rank);
    CHECK(rank.take(message_record::take_back).head.id == last);
    CHECK(rank.ring.front() == nullptr);
    rank.out->cancel(nullptr, true);
    CHECK(rank.ring.front() == nullptr);
}

TEST_CASE("message_outbox: a send that waits for its match is complete with the reply") {
    sending_rank rank(32768);
    CHECK(rank.out->post({1, 3, 5, 0, 77, {&rank, 0}}, {}, true) == 0);
    const auto sent = rank.take(message_record::awaited);
    CHECK(rank.done.empty());
    CHECK(!rank.out->handle_matched(1, {0, message_record::matched, sent.head.id, 1}));
    CHECK(rank.out->handle_reply(1, {0, message_record::reply, sent.head.id, message::error::size_mismatch}));
    REQUIRE(!rank.done.empty());
    CHECK(rank.done.front().error == message::error::size_mismatch);
}
