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
#include "collsched/execute/shared_memory/detail/message_record.hpp"
#include "collsched/execute/shared_memory/detail/offered_message.hpp"
#include "collsched/execute/shared_memory/detail/small_slots.hpp"
#include "collsched/execute/detail/part_cursor.hpp"
#include "collsched/execute/transport.hpp"
#include "collsched/execute/run_status.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Returns the bytes of the longest small message.
constexpr bytes_t longest_small(bytes_t ring_bytes) {
    return longest_body(ring_bytes) - static_cast<bytes_t>(sizeof(message_label));
}

/// The sending half of a shared_memory_transport: writes messages and other records into the rings to the other ranks.
/// Those for which a ring has no room wait in private memory until flush() writes them. A small message that is in its
/// ring takes a slot until the receiver reports its match; all others are in a pool.
template <class Group>
class message_outbox {
  public:
    /// @param wakes  a reader may sleep, or looks for records only when it is woken
    message_outbox(const Group& membership, message_queue<completion>& completions, bool wakes = true)
        : group_(&membership),
          completions_(&completions),
          wakes_(wakes),
          longest_small_(longest_small(membership.ring_bytes())),
          reported_at_once_(reported_at_once(membership.ranks())),
          links_(membership.ranks()) {}
    message_outbox(const message_outbox&) = delete;
    message_outbox& operator=(const message_outbox&) = delete;

    /// Makes what messages to a rank need, if it is not there.
    void connect(rank_t peer) { link_to(peer); }

    /// Makes room for so many messages in flight, so that no post allocates before there are more.
    void reserve(std::size_t messages) { sends_.reserve(messages); }

    /// Result of post() without effect: no further small message to the rank may be unmatched.
    static constexpr int no_slot = -3;

    /// Returns already_complete for a small message that is in the ring, otherwise 0, or no_slot: then post_later() follows.
    /// @param awaited  the send is complete after its match
    int post(const message::key& key, std::span<const message::send_part> parts, bool awaited = false) {
        outbox_link& link = link_to(key.peer);
        const bytes_t size = total_bytes(parts);
        if (size > longest_small_) return post_later(key, parts, 0, awaited);
        const std::uint64_t slot = link.slots.new_id();
        if (slot == 0) return no_slot;
        if (awaited || !link.waiting.empty() || !write_small(link, key, parts, size, message_record::small, slot))
            return post_later(key, parts, slot, awaited);
        link.slots.fill(slot, key.request.owner, ends_.count(), nullptr);
        return already_complete;
    }
    /// Posts a message that is not in the ring at once. @param slot  its id there, or 0: none
    int post_later(const message::key& key, std::span<const message::send_part> parts, std::uint64_t slot,
                   bool awaited) {
        outgoing& send = sends_.take();
        send.key = key;
        send.parts = parts;
        send.size = total_bytes(parts);
        send.receive = 0;
        send.slot = slot;
        send.is_awaited = awaited;
        if (slot == 0) {
            const auto guard = reinterpret_cast<std::uintptr_t>(static_cast<offered_message*>(&send));
            remote_message memory{reinterpret_cast<std::uintptr_t>(parts.data()), parts.size(), guard, send.id};
            if (!Group::one_process && parts.size() == 1) memory.name_bytes(parts[0].data);
            send_record(key.peer, {{0, message_record::announce, send.id, 0},
                                   {key.channel, key.epoch, key.sequence, key.fingerprint, send.size, memory}});
            return 0;
        }
        link_to(key.peer).slots.fill(slot, nullptr, 0, &send);
        send_record(key.peer, {{0, awaited ? message_record::awaited : message_record::small, slot, 0}});
        return 0;
    }

    /// Sends a record, after those that still wait. The receive of a reply is reported when that is written: until then this
    /// rank has something to wait for, so that a rank that is done owes no reply.
    void send_record(rank_t peer, const message_record& record) {
        outbox_link& link = link_to(peer);
        if (link.waiting.empty() && write(link, peer, record)) report(peer, record);
        else link.waiting.push(record);
    }

    /// Writes what waits, as far as there is room. False if the peer has broken the ring.
    bool flush(rank_t peer) {
        outbox_link& link = link_to(peer);
        for (; !link.waiting.empty() && write(link, peer, link.waiting.front()); link.waiting.pop())
            report(peer, link.waiting.front());
        while (!link.streams.empty() && stream(link, peer, link.streams.front())) link.streams.pop();
        return !link.ring.is_broken();
    }
    bool has_waiting(rank_t peer) { return links_.find(peer) != nullptr && !link_to(peer).waiting.empty(); }

    /// Handles a request for the bytes of a message. False if no rank sends it: for another rank's message, or twice.
    bool handle_request(rank_t peer, const ring_record& record) {
        if (slots::is_id(record.id)) return link_to(peer).slots.find(record.id) == nullptr;  // its bytes have been sent
        outgoing* const send = sends_.find(record.id);
        if (send == nullptr) return true;  // cancelled since
        if (send->key.peer != peer || send->slot != 0 || send->receive != 0 || record.value == 0) return false;
        send->receive = record.value;
        send->next = part_cursor<message::send_part>(send->parts);
        send->remaining = send->size;
        link_to(peer).streams.push(record.id);
        flush(peer);
        return true;
    }
    /// Handles the reply that ends a send. False if no rank sends it.
    bool handle_reply(rank_t peer, const ring_record& record) {
        const std::uint64_t error = record.value;
        if (error != 0 && error != message::error::size_mismatch && error != message::error::disagreement &&
            error != message::error::withdrawn && error != message::error::combine_failed)
            return false;
        if (slots::is_id(record.id)) {
            const auto* const slot = link_to(peer).slots.find(record.id);
            if (slot == nullptr) return true;
            if (slot->send == nullptr || !slot->send->is_awaited) return false;
            finish(*slot->send, static_cast<int>(error));
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
        outbox_link& link = link_to(peer);
        if (!link.matched.add(id)) report_matches(link, peer), link.matched.add(id);
        if (link.matched.count() >= reported_at_once_) report_matches(link, peer);
    }
    /// Handles the report of matched messages. False if no rank sends it.
    bool handle_matched(rank_t peer, const ring_record& record) {
        if (!slots::is_id(record.id)) return false;
        outbox_link& link = link_to(peer);
        for (std::uint64_t matches = record.value; matches != 0; matches &= matches - 1) {
            const auto* const slot = link.slots.find(record.id + static_cast<std::uint64_t>(std::countr_zero(matches)));
            if (slot == nullptr) continue;  // cancelled since
            if (slot->send != nullptr) return false;
            link.slots.free(slot->id);
        }
        return true;
    }
    /// Within a process: copies a part of a message.
    void help(std::uint64_t id) {
        if (outgoing* const send = sends_.find(id | offered_message::claimed)) send->shared.copy();
    }

    /// Makes complete messages of an owner, which has no operation in flight, remain when it is cancelled later.
    void disown(const void* owner) {
        ends_.add(owner);
        if (ends_.is_full()) forget_owners();
    }
    /// Gives back the memory of one owner's sends, or of all; then messages that are complete remain. Another process that
    /// reads it at that moment finds a changed guard and discards the bytes; a thread that reads it is awaited.
    void cancel(const void* owner, bool every_owner = false) {
        sends_.for_each([&](outgoing& send) {
            if (!every_owner && send.key.request.owner != owner) return;
            take_back(send);
            forget(send);
        });
        links_.for_each([&](rank_t peer, outbox_link& link) {
            link.waiting.for_each([&](message_record& record) {
                if (every_owner || record.receive.owner == owner) record.receive = {};
            });
            if (every_owner) return;
            link.slots.for_each([&](const auto& slot) {
                if (slot.send != nullptr || slot.owner != owner || slot.end_count < ends_.last_of(owner)) return;
                send_record(peer, {{0, message_record::take_back, slot.id, 0}});
                link.slots.free(slot.id);
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
        outbox_link& link = link_to(peer);
        link.slots.for_each([&](const auto& slot) { link.slots.free(slot.id); });
        link.waiting.for_each([&](const message_record& record) { report(peer, record); });
        link.waiting.clear();
        link.streams.clear();
    }

  private:
    struct outgoing : offered_message {
        message::key key;
        std::span<const message::send_part> parts;
        bytes_t size = 0;
        std::uint64_t slot = 0;  // of a small message, as long as its bytes are the sender's
        bool is_awaited = false;
        std::uint64_t receive = 0;             // the peer's, once it has requested the bytes
        part_cursor<message::send_part> next;  // the bytes that it still is to get
        bytes_t remaining = 0;
    };
    using slots = small_slots<outgoing>;
    struct outbox_link {
        outbox_link(const ring_memory& memory, int capacity)
            : ring(memory), slots(capacity), waiting(std::size_t(capacity)), streams(std::size_t(capacity)) {}

        ring_writer ring;
        message_outbox::slots slots;
        matched_ids matched;  // messages of the peer, to be reported
        message_queue<message_record> waiting;
        message_queue<std::uint64_t> streams;  // sends whose bytes have been requested
    };

    outbox_link& link_to(rank_t peer) {
        return links_.get(peer, [&] { return make_link(peer); });
    }
    [[gnu::noinline]] std::unique_ptr<outbox_link> make_link(rank_t peer) {
        return std::make_unique<outbox_link>(group_->memory(group_->rank(), peer),
                                             most_ahead(group_->ranks(), group_->is_crowded()));
    }
    [[gnu::noinline]] void forget_owners() {
        ends_.forget_if([&](const void* owner) {
            bool has_slot = false;
            links_.for_each([&](rank_t, outbox_link& link) {
                link.slots.for_each([&](const auto& slot) { has_slot |= slot.owner == owner; });
            });
            return !has_slot;
        });
    }
    /// False if there is no room. A message that has been cancelled since counts as written.
    bool write(outbox_link& link, rank_t peer, const message_record& record) {
        ring_record head = record.head;
        if (slots::is_id(head.id) && (head.kind == message_record::small || head.kind == message_record::awaited)) {
            const auto* const slot = link.slots.find(head.id);
            if (slot == nullptr) return true;
            outgoing& send = *slot->send;
            if (!write_small(link, send.key, send.parts, send.size, head.kind, head.id)) return false;
            if (!send.is_awaited) complete_waiting(link, send);
            return true;
        }
        if (head.kind == message_record::announce) {
            if (sends_.find(head.id) == nullptr) return true;
            head.bytes = sizeof record.envelope;
        }
        std::byte* const at = link.ring.reserve(head);
        if (at == nullptr) return false;
        std::memcpy(at, &record.envelope, head.bytes);
        commit(link, peer);
        return true;
    }
    bool write_small(outbox_link& link, const message::key& key, std::span<const message::send_part> parts,
                     bytes_t size, std::uint32_t kind, std::uint64_t id) {
        const message_label label{key.channel, key.sequence};
        std::byte* at = link.ring.reserve({static_cast<std::uint32_t>(sizeof label) + static_cast<std::uint32_t>(size),
                                           message_record::kind_with(kind, key.fingerprint), id, key.epoch});
        if (at == nullptr) return false;
        std::memcpy(at, &label, sizeof label);
        at += sizeof label;
        for (const message::send_part& part : parts) {
            copy_few(at, part.data, part.size);
            at += part.size;
        }
        commit(link, key.peer);
        return true;
    }
    void commit(outbox_link& link, rank_t peer) {
        if (!wakes_) return link.ring.commit();
        link.ring.commit(std::memory_order_seq_cst);
        group_->notify(peer);
    }

    /// Writes parts of a send whose bytes have been requested. False if there is no room for all that is left.
    bool stream(outbox_link& link, rank_t peer, std::uint64_t id) {
        outgoing* const send = sends_.find(id);
        if (send == nullptr) return true;
        while (send->remaining > 0) {
            constexpr bytes_t unit = message_target::part_unit;
            const bytes_t size = std::min(send->remaining, longest_body(group_->ring_bytes()) / unit * unit);
            std::byte* const at =
                link.ring.reserve({static_cast<std::uint32_t>(size), message_record::part, send->receive, 0});
            if (at == nullptr) return false;
            send->next.copy_to(at, size);
            commit(link, peer);
            send->remaining -= size;
        }
        finish(*send, 0);
        return true;
    }

    [[gnu::noinline]] void report_matches(outbox_link& link, rank_t peer) {
        send_record(peer, {{0, message_record::matched, link.matched.first(), link.matched.mask()}});
        link.matched.clear();
    }
    /// Lets the receiver read the message no more.
    void take_back(outgoing& send) {
        if constexpr (Group::one_process)
            while (!send.claim(send.unclaimed_id())) std::this_thread::yield();
        send_record(send.key.peer,
                    {{0, message_record::take_back, send.slot != 0 ? send.slot : send.unclaimed_id(), 0}});
    }
    /// Reports a small message that has waited for room.
    void complete_waiting(outbox_link& link, outgoing& send) {
        completions_->push({send.key.request, 0, send.key.peer});
        link.slots.fill(send.slot, send.key.request.owner, ends_.count(), nullptr);
        sends_.give_back(send);
    }
    void report(rank_t peer, const message_record& record) {
        if (record.receive.owner != nullptr) completions_->push({record.receive, record.error, peer});
    }
    void finish(outgoing& send, int error) {
        completions_->push({send.key.request, error, send.key.peer});
        forget(send);
    }
    void forget(outgoing& send) {
        if (send.slot != 0) link_to(send.key.peer).slots.free(send.slot);
        sends_.give_back(send);
    }

    const Group* group_;
    message_queue<completion>* completions_;
    bool wakes_;
    bytes_t longest_small_;
    int reported_at_once_;
    peer_links<outbox_link> links_;
    message_pool<outgoing> sends_;
    owner_ends ends_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
