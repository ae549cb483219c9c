#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <thread>

#include "collsched/execute/shared_memory/detail/message_pool.hpp"
#include "collsched/execute/shared_memory/detail/message_target.hpp"
#include "collsched/execute/shared_memory/detail/note.hpp"
#include "collsched/execute/shared_memory/detail/offered_message.hpp"
#include "collsched/execute/shared_memory/detail/owner_ends.hpp"
#include "collsched/execute/shared_memory/detail/part_walk.hpp"
#include "collsched/execute/shared_memory/detail/peer_links.hpp"
#include "collsched/execute/shared_memory/detail/small_slots.hpp"
#include "collsched/execute/transport.hpp"
#include "collsched/execute/transport_error.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Returns the bytes of the longest small message.
constexpr bytes_t longest_small(bytes_t ring_bytes) {
    return longest_body(ring_bytes) - static_cast<bytes_t>(sizeof(message_label));
}

/// The sending half of a shared_memory_transport: writes messages and notes into the rings to the other ranks. Those for
/// which a ring has no room wait in private memory until flush() writes them. A small message that is in its ring takes
/// a slot until the receiver reports its match; all others are in a pool.
template <class Room>
class message_outbox {
  public:
    /// @param rings  a reader may sleep, or finds records by its bell alone
    message_outbox(const Room& room, message_queue<completion>& done, bool rings = true)
        : room_(&room),
          done_(&done),
          rings_(rings),
          longest_small_(longest_small(room.ring_bytes())),
          reported_at_once_(reported_at_once(room.ranks())),
          links_(room.ranks()) {}
    message_outbox(const message_outbox&) = delete;
    message_outbox& operator=(const message_outbox&) = delete;

    /// Makes what messages to a rank need, if it is not there.
    void connect(rank_t peer) { of(peer); }

    /// Makes room for so many messages in flight, so that no post allocates before there are more.
    void hold(std::size_t messages) { sends_.hold(messages); }

    /// Result of post() without effect: no further small message to the rank may be unmatched.
    static constexpr int no_slot = -3;

    /// Returns already_complete for a small message that is in the ring, otherwise 0, or no_slot: then post_later() follows.
    /// @param awaited  the send is complete after its match
    int post(const message_key& key, std::span<const send_part> parts, bool awaited = false) {
        link& to = of(key.peer);
        const bytes_t size = total_bytes(parts);
        if (size > longest_small_) return post_later(key, parts, 0, awaited);
        const std::uint64_t slot = to.slots.new_id();
        if (slot == 0) return no_slot;
        if (awaited || !to.waiting.empty() || !write_small(to, key, parts, size, message_note::small, slot))
            return post_later(key, parts, slot, awaited);
        to.slots.fill(slot, key.request.owner, ends_.count(), nullptr);
        return already_complete;
    }
    /// Posts a message that is not in the ring at once. @param slot  its id there, or 0: none
    int post_later(const message_key& key, std::span<const send_part> parts, std::uint64_t slot, bool awaited) {
        outgoing& send = sends_.take();
        send.key = key;
        send.parts = parts;
        send.size = total_bytes(parts);
        send.receive = 0;
        send.slot = slot;
        send.is_awaited = awaited;
        if (slot == 0) {
            const auto guard = reinterpret_cast<std::uintptr_t>(static_cast<offered_message*>(&send));
            remote_message where{reinterpret_cast<std::uintptr_t>(parts.data()), parts.size(), guard, send.id};
            if (!Room::one_process && parts.size() == 1) where.name_bytes(parts[0].data);
            send_note(key.peer, {{0, message_note::announce, send.id, 0},
                                 {key.channel, key.epoch, key.sequence, key.fingerprint, send.size, where}});
            return 0;
        }
        of(key.peer).slots.fill(slot, nullptr, 0, &send);
        send_note(key.peer, {{0, awaited ? message_note::awaited : message_note::small, slot, 0}});
        return 0;
    }

    /// Sends a note, after those that still wait. The receive of a reply is reported when that is written: until then this
    /// rank has something to wait for, so that a rank that is done owes no reply.
    void send_note(rank_t peer, const message_note& note) {
        link& to = of(peer);
        if (to.waiting.empty() && write(to, peer, note)) report(peer, note);
        else to.waiting.push(note);
    }

    /// Writes what waits, as far as there is room. False if the peer has broken the ring.
    bool flush(rank_t peer) {
        link& to = of(peer);
        for (; !to.waiting.empty() && write(to, peer, to.waiting.front()); to.waiting.pop())
            report(peer, to.waiting.front());
        while (!to.streams.empty() && stream(to, peer, to.streams.front())) to.streams.pop();
        return !to.ring.is_broken();
    }
    bool has_waiting(rank_t peer) { return links_.find(peer) != nullptr && !of(peer).waiting.empty(); }

    /// Handles a request for the bytes of a message. False if no rank sends it: for another rank's message, or twice.
    bool handle_request(rank_t peer, const ring_record& record) {
        if (slots::is_id(record.id)) return of(peer).slots.find(record.id) == nullptr;  // its bytes have been sent
        outgoing* const send = sends_.find(record.id);
        if (send == nullptr) return true;  // cancelled since
        if (send->key.peer != peer || send->slot != 0 || send->receive != 0 || record.value == 0) return false;
        send->receive = record.value;
        send->next = part_walk<send_part>(send->parts);
        send->left = send->size;
        of(peer).streams.push(record.id);
        flush(peer);
        return true;
    }
    /// Handles the reply that ends a send. False if no rank sends it.
    bool handle_reply(rank_t peer, const ring_record& record) {
        const std::uint64_t error = record.value;
        if (error != 0 && error != transport_error::size_mismatch && error != transport_error::disagreement &&
            error != transport_error::withdrawn && error != transport_error::combine_failed)
            return false;
        if (slots::is_id(record.id)) {
            const auto* const kept = of(peer).slots.find(record.id);
            if (kept == nullptr) return true;
            if (kept->send == nullptr || !kept->send->is_awaited) return false;
            finish(*kept->send, static_cast<int>(error));
            return true;
        }
        outgoing* const send = sends_.find(record.id);
        if (send == nullptr) return true;
        if (send->key.peer != peer || send->slot != 0) return false;
        finish(*send, static_cast<int>(error));
        return true;
    }

    /// Reports to a rank that its small message has been matched, some such messages at once.
    void note_match(rank_t peer, std::uint64_t id) {
        link& to = of(peer);
        if (!to.matched.add(id)) report_matches(to, peer), to.matched.add(id);
        if (to.matched.count() >= reported_at_once_) report_matches(to, peer);
    }
    /// Handles the report of matched messages. False if no rank sends it.
    bool handle_matched(rank_t peer, const ring_record& record) {
        if (!slots::is_id(record.id)) return false;
        link& to = of(peer);
        for (std::uint64_t left = record.value; left != 0; left &= left - 1) {
            const auto* const kept = to.slots.find(record.id + static_cast<std::uint64_t>(std::countr_zero(left)));
            if (kept == nullptr) continue;  // cancelled since
            if (kept->send != nullptr) return false;
            to.slots.free(kept->id);
        }
        return true;
    }
    /// Within a process: copies a part of a message.
    void help(std::uint64_t id) {
        if (outgoing* const send = sends_.find(id | offered_message::claimed)) send->shared.copy();
    }

    /// Makes complete messages of an owner, which has no operation in flight, remain when it is cancelled later.
    void disown(const void* owner) {
        ends_.note(owner);
        if (ends_.is_full()) forget_owners();
    }
    /// Gives back the memory of one owner's sends, or of all; then messages that are complete remain. Another process that
    /// reads it at that moment finds a changed guard and discards the bytes; a thread that reads it is awaited.
    void cancel(const void* owner, bool all = false) {
        sends_.for_each([&](outgoing& send) {
            if (!all && send.key.request.owner != owner) return;
            take_back(send);
            forget(send);
        });
        links_.for_each([&](rank_t peer, link& to) {
            to.waiting.for_each([&](message_note& note) {
                if (all || note.receive.owner == owner) note.receive = {};
            });
            if (all) return;
            to.slots.for_each([&](const auto& kept) {
                if (kept.send != nullptr || kept.owner != owner || kept.since < ends_.last_of(owner)) return;
                send_note(peer, {{0, message_note::take_back, kept.id, 0}});
                to.slots.free(kept.id);
            });
        });
    }
    /// Ends with an error those sends that have not met their receives, as far as is known here, for whose names f returns
    /// true.
    void end_unmatched(int error, auto f) {
        sends_.for_each([&](outgoing& send) {
            if (send.receive != 0 || !f(name_of(send.key))) return;
            take_back(send);
            finish(send, error);
        });
    }

    /// Ends all that is under way to a rank that is gone.
    void lose(rank_t peer, int error) {
        sends_.for_each([&](outgoing& send) {
            if (send.key.peer == peer) finish(send, error);
        });
        if (links_.find(peer) == nullptr) return;
        link& to = of(peer);
        to.slots.for_each([&](const auto& kept) { to.slots.free(kept.id); });
        to.waiting.for_each([&](const message_note& note) { report(peer, note); });
        to.waiting.clear();
        to.streams.clear();
    }

  private:
    struct outgoing : offered_message {
        message_key key;
        std::span<const send_part> parts;
        bytes_t size = 0;
        std::uint64_t slot = 0;  // of a small message, as long as its bytes are the sender's
        bool is_awaited = false;
        std::uint64_t receive = 0;  // the peer's, once it has requested the bytes
        part_walk<send_part> next;  // the bytes that it still is to get
        bytes_t left = 0;
    };
    using slots = small_slots<outgoing>;
    struct link {
        link(const ring_memory& memory, int most)
            : ring(memory), slots(most), waiting(std::size_t(most)), streams(std::size_t(most)) {}

        ring_writer ring;
        message_outbox::slots slots;
        matched_ids matched;  // messages of the peer, to be reported
        message_queue<message_note> waiting;
        message_queue<std::uint64_t> streams;  // sends whose bytes have been requested
    };

    link& of(rank_t peer) {
        return links_.of(peer, [&] { return make(peer); });
    }
    [[gnu::noinline]] std::unique_ptr<link> make(rank_t peer) {
        return std::make_unique<link>(room_->memory(room_->rank(), peer),
                                      most_ahead(room_->ranks(), room_->is_crowded()));
    }
    [[gnu::noinline]] void forget_owners() {
        ends_.forget_if([&](const void* owner) {
            bool has_slot = false;
            links_.for_each([&](rank_t, link& to) {
                to.slots.for_each([&](const auto& kept) { has_slot |= kept.owner == owner; });
            });
            return !has_slot;
        });
    }
    /// False if there is no room. A message that has been cancelled since counts as written.
    bool write(link& to, rank_t peer, const message_note& note) {
        ring_record head = note.head;
        if (slots::is_id(head.id) && (head.kind == message_note::small || head.kind == message_note::awaited)) {
            const auto* const kept = to.slots.find(head.id);
            if (kept == nullptr) return true;
            outgoing& send = *kept->send;
            if (!write_small(to, send.key, send.parts, send.size, head.kind, head.id)) return false;
            if (!send.is_awaited) complete_waiting(to, send);
            return true;
        }
        if (head.kind == message_note::announce) {
            if (sends_.find(head.id) == nullptr) return true;
            head.bytes = sizeof note.about;
        }
        std::byte* const at = to.ring.reserve(head);
        if (at == nullptr) return false;
        std::memcpy(at, &note.about, head.bytes);
        commit(to, peer);
        return true;
    }
    bool write_small(link& to, const message_key& key, std::span<const send_part> parts, bytes_t size,
                     std::uint32_t kind, std::uint64_t id) {
        const message_label label{key.channel, key.sequence};
        std::byte* at = to.ring.reserve({static_cast<std::uint32_t>(sizeof label) + static_cast<std::uint32_t>(size),
                                         message_note::kind_with(kind, key.fingerprint), id, key.epoch});
        if (at == nullptr) return false;
        std::memcpy(at, &label, sizeof label);
        at += sizeof label;
        for (const send_part& part : parts) {
            copy_few(at, part.data, part.size);
            at += part.size;
        }
        commit(to, key.peer);
        return true;
    }
    void commit(link& to, rank_t peer) {
        if (!rings_) return to.ring.commit();
        to.ring.commit(std::memory_order_seq_cst);
        room_->notify(peer);
    }

    /// Writes parts of a send whose bytes have been requested. False if there is no room for all that is left.
    bool stream(link& to, rank_t peer, std::uint64_t id) {
        outgoing* const send = sends_.find(id);
        if (send == nullptr) return true;
        while (send->left > 0) {
            constexpr bytes_t unit = message_target::part_unit;
            const bytes_t size = std::min(send->left, longest_body(room_->ring_bytes()) / unit * unit);
            std::byte* const at =
                to.ring.reserve({static_cast<std::uint32_t>(size), message_note::part, send->receive, 0});
            if (at == nullptr) return false;
            send->next.copy_to(at, size);
            commit(to, peer);
            send->left -= size;
        }
        finish(*send, 0);
        return true;
    }

    [[gnu::noinline]] void report_matches(link& to, rank_t peer) {
        send_note(peer, {{0, message_note::matched, to.matched.first(), to.matched.mask()}});
        to.matched.clear();
    }
    /// Lets the receiver read the message no more.
    void take_back(outgoing& send) {
        if constexpr (Room::one_process)
            while (!send.claim(send.unclaimed_id())) std::this_thread::yield();
        send_note(send.key.peer, {{0, message_note::take_back, send.slot != 0 ? send.slot : send.unclaimed_id(), 0}});
    }
    /// Reports a small message that has waited for room.
    void complete_waiting(link& to, outgoing& send) {
        done_->push({send.key.request, 0, send.key.peer});
        to.slots.fill(send.slot, send.key.request.owner, ends_.count(), nullptr);
        sends_.give_back(send);
    }
    void report(rank_t peer, const message_note& written) {
        if (written.receive.owner != nullptr) done_->push({written.receive, written.error, peer});
    }
    void finish(outgoing& send, int error) {
        done_->push({send.key.request, error, send.key.peer});
        forget(send);
    }
    void forget(outgoing& send) {
        if (send.slot != 0) of(send.key.peer).slots.free(send.slot);
        sends_.give_back(send);
    }

    const Room* room_;
    message_queue<completion>* done_;
    bool rings_;
    bytes_t longest_small_;
    int reported_at_once_;
    peer_links<link> links_;
    message_pool<outgoing> sends_;
    owner_ends ends_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
