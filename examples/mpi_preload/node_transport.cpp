#include "node_transport.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "native_mpi.hpp"

namespace collsched::preload {

namespace {

constexpr int credits_at_once = node_transport::most_early / 4;

std::uint64_t address_of(const void* memory) { return reinterpret_cast<std::uintptr_t>(memory); }

void copy_parts(std::byte* at, std::span<const send_part> parts) {
    for (const send_part& one : parts) {
        std::memcpy(at, one.data, static_cast<std::size_t>(one.size));
        at += one.size;
    }
}

}  // namespace

node_transport::node_transport(process_group& group)
    : group_(&group),
      rank_(group.rank()),
      ranks_(group.ranks()),
      longest_small_(collsched::detail::longest_body(group.ring_bytes()) - sequence_bytes),
      longest_part_(collsched::detail::longest_body(group.ring_bytes()) / collsched::detail::message_target::part_unit *
                    collsched::detail::message_target::part_unit),
      links_(static_cast<std::size_t>(group.ranks())) {
    for (rank_t r = 0; r < ranks_; ++r) {
        if (r == rank_) continue;
        of(r).out = collsched::detail::ring_writer(group.segment().memory(rank_, r), false);
        of(r).in = group.segment().reader(r, rank_);
        group.segment().map_pages(rank_, r);
        group.segment().map_pages(r, rank_);
    }
}

/// Writes a small message without commit(). Returns null if the ring has no room.
std::byte* node_transport::write_small(link& to, const message_key& key, std::span<const send_part> parts,
                                       bytes_t size) {
    std::byte* const at =
        to.out.reserve({static_cast<std::uint32_t>(sequence_bytes + size), small, key.channel, key.epoch});
    if (at == nullptr) return nullptr;
    std::memcpy(at, &key.sequence, sizeof key.sequence);
    copy_parts(at + sequence_bytes, parts);
    return at;
}

int node_transport::post_send(const message_key& key, std::span<const send_part> parts) {
    const bytes_t size = total_bytes(parts);
    link& to = of(key.peer);
    if (to.unmatched >= most_early / 2 && !drain(key.peer)) lose(key.peer);  // credits, while it only sends
    if (to.broken) return transport_error::peer_died;
    const bool is_small = size <= longest_small_ && to.unmatched < most_early;
    if (is_small && to.waiting.empty() && write_small(to, key, parts, size) != nullptr) {
        to.out.commit();
        ++to.unmatched;
        return already_complete;
    }
    outgoing& send = sends_.take();
    send.name = {key.peer, key.channel, key.epoch, key.sequence};
    send.request = key.request;
    send.parts = parts;
    send.receive = 0;
    send.found_wrong = 0;
    send.left = size;
    if (is_small) ++to.unmatched;
    const bool one_part = parts.size() == 1;
    send_note(key.peer,
              {{0, is_small ? small : announce, key.channel, key.epoch},
               {key.sequence, size, send.id, one_part ? address_of(parts[0].data) : 0, address_of(&send.id)}});
    return 0;
}

int node_transport::post_recv(const message_key& key, std::span<const receive_part> parts) {
    return receive(key, parts);
}

int node_transport::post_recv_combine(const message_key& key, const combined_part& whole) {
    return receive(key, whole);
}

template <class Memory>
int node_transport::receive(const message_key& key, const Memory& memory) {
    if (of(key.peer).broken) return transport_error::peer_died;
    if (take_next(key, memory)) return already_complete;
    incoming& one = receives_.take();
    one.name = {key.peer, key.channel, key.epoch, key.sequence};
    one.request = key.request;
    one.requested = one.matched = false;
    one.exact = key.fingerprint != 0 || std::is_same_v<Memory, combined_part>;
    aim(one.target, memory);
    if (arrival* const early = arrivals_.find(one.name)) return meet(one, *early);
    receives_.enter_index(one);
    return 0;
}

/// Returns whether a receive takes a message of so many bytes, and makes it expect them.
bool node_transport::fit(incoming& receive, bytes_t size) {
    if (size == receive.target.size()) return true;
    if (receive.exact || size > receive.target.size()) return false;
    receive.target.shorten(size);
    return true;
}

/// Completes a receive whose message has arrived, or requests its bytes. Returns the result of the post.
int node_transport::meet(incoming& receive, arrival& early) {
    const bool fits = fit(receive, early.about.size);
    if (const announcement about = early.about; about.send != 0) {
        --of(early.name.peer).announced;
        arrivals_.give_back(early);
        if (fits) return request_bytes(receive, about), 0;
        decline(receive.name.peer, about.send);
        receives_.give_back(receive);
        return transport_error::size_mismatch;
    }
    if (fits) receive.target.take(early.bytes.data(), early.about.size);
    --of(early.name.peer).early;
    give_credit(early.name.peer);
    arrivals_.give_back(early);
    receives_.give_back(receive);
    return fits ? already_complete : transport_error::size_mismatch;
}

/// Makes the bytes of an announced message come: by single copy, or from its sender.
void node_transport::request_bytes(incoming& receive, const announcement& about) {
    receive.matched = true;
    if (!processes_.empty() && about.data != 0 && about.size >= single_copy_from)
        return copies_.push({receive.name.peer, receive.id, about});
    receive.requested = true;
    send_note(receive.name.peer, {{0, request, about.send, receive.id}, {}});
}

/// Ends a send that its receive does not fit.
void node_transport::decline(rank_t peer, std::uint64_t send) { send_note(peer, {{0, request, send, 0}, {}}); }

void node_transport::give_credit(rank_t peer) {
    link& to = of(peer);
    if (++to.owed < credits_at_once) return;
    send_note(peer, {{0, credit, 1, static_cast<std::uint64_t>(to.owed)}, {}});
    to.owed = 0;
}

/// Sends a record after those that wait.
void node_transport::send_note(rank_t peer, const note& one) {
    if (!of(peer).waiting.empty() || !write(peer, one)) of(peer).waiting.push(one);
}

/// Writes a record. Returns false if there is no room. A message that has been cancelled counts as written.
bool node_transport::write(rank_t peer, const note& one) {
    link& to = of(peer);
    if (one.head.kind == small) {
        outgoing* const send = sends_.find(one.about.send);
        if (send == nullptr) return true;
        const message_key key{
            .peer = peer, .channel = one.head.id, .epoch = one.head.value, .sequence = one.about.sequence};
        if (write_small(to, key, send->parts, one.about.size) == nullptr) return false;
        to.out.commit();
        finish(sends_, *send, 0);
        return true;
    }
    ring_record head = one.head;
    if (head.kind == announce || head.kind == waits) head.bytes = sizeof one.about;
    std::byte* const at = to.out.reserve(head);
    if (at == nullptr) return false;
    if (head.bytes > 0) std::memcpy(at, &one.about, sizeof one.about);
    to.out.commit();
    return true;
}

/// Writes parts of a message that has been requested. Returns false if there is no room for all that is left.
bool node_transport::write(rank_t peer, const stream& one) {
    outgoing* const send = sends_.find(one.send);
    if (send == nullptr) return write(peer, note{{0, gone, one.receive, 0}, {}});
    do {
        const bytes_t size = std::min(send->left, longest_part_);
        std::byte* const at = of(peer).out.reserve({static_cast<std::uint32_t>(size), part, one.receive, 0});
        if (at == nullptr) return false;
        send->next.copy_to(at, size);
        of(peer).out.commit();
        send->left -= size;
    } while (send->left > 0);
    finish(sends_, *send, 0);
    return true;
}

void node_transport::flush(rank_t peer) {
    link& to = of(peer);
    while (!to.waiting.empty() && write(peer, to.waiting.front())) to.waiting.pop();
    if (!to.waiting.empty()) return;
    while (!to.streams.empty() && write(peer, to.streams.front())) to.streams.pop();
}

void node_transport::lose(rank_t peer) {
    link& to = of(peer);
    to.broken = true;
    to.waiting.clear();
    to.streams.clear();
    sends_.for_each([&](outgoing& one) {
        if (one.name.peer == peer) finish(sends_, one, transport_error::peer_died);
    });
    receives_.for_each([&](incoming& one) {
        if (one.name.peer == peer) finish(receives_, one, transport_error::peer_died);
    });
}

void node_transport::find_dead() {
    group_->find_dead();
    for (rank_t r = 0; r < ranks_; ++r)
        if (r != rank_ && !of(r).broken && group_->state(r) == collsched::detail::process_seat::died) lose(r);
}

void node_transport::cancel(const void* owner) {
    done_.remove_if([&](const completion& one) { return one.request.owner == owner; });
    sends_.for_each([&](outgoing& one) {
        if (one.request.owner == owner) sends_.give_back(one);
    });
    receives_.for_each([&](incoming& one) {
        if (one.request.owner == owner) receives_.give_back(one);
    });
}

}  // namespace collsched::preload
