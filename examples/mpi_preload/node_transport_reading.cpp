#include "native_mpi.hpp"
#include "node_transport.hpp"

namespace collsched::preload {

namespace {
constexpr int most_announced = 1 << 20;  // of each rank, without a receive
}  // namespace

void node_transport::look() {
    for (rank_t r = 0; r < ranks_; ++r) {
        if (r == rank_ || of(r).broken) continue;
        if (!drain(r)) lose(r);
        else flush(r);
    }
    if (!copies_.empty()) copy_next();
}

template <class Memory>
bool node_transport::take_next(const message_key& key, const Memory& memory) {
    link& from = of(key.peer);
    const ring_entry* record = from.in.front();
    while (record != nullptr && record->kind == credit) {
        if (!read(key.peer, *record)) return lose(key.peer), false;
        from.in.pop();
        record = from.in.front();
    }
    if (record == nullptr || record->kind != small || record->id != key.channel || record->value != key.epoch)
        return false;
    const bytes_t size = collsched::detail::bytes_of(memory);
    if (size > collsched::detail::longest_short || record->bytes != static_cast<std::uint32_t>(sequence_bytes + size))
        return false;
    std::int64_t sequence = 0;
    collsched::detail::copy_once(sequence, record->body);
    if (sequence != key.sequence) return false;
    collsched::detail::receive_short(memory, record->body + sequence_bytes);
    from.in.pop();
    give_credit(key.peer);
    return true;
}
template bool node_transport::take_next(const message_key&, const std::span<const receive_part>&);
template bool node_transport::take_next(const message_key&, const combined_part&);

/// Handles the records that a rank has written, at most one ring of them. Returns false if one is incorrect.
bool node_transport::drain(rank_t peer) {
    collsched::detail::ring_reader& ring = of(peer).in;
    const std::uint64_t end = ring.position() + static_cast<std::uint64_t>(group_->ring_bytes());
    while (const ring_entry* const record = ring.position() < end ? ring.front() : nullptr) {
        if (!read(peer, *record)) return false;
        ring.pop();
    }
    return !ring.is_broken();
}

bool node_transport::read(rank_t peer, const ring_entry& record) {
    switch (record.kind) {
        case small: return arrive_small(peer, record);
        case announce: return arrive_announced(peer, record);
        case request: return record.bytes == 0 && begin_stream(peer, record);
        case part: return fill(peer, record);
        case copied: return record.bytes == 0 && end_send(peer, record);
        case gone: return record.bytes == 0 && end_receive(peer, record);
        case waits: return note_pattern(record);
        case credit: {
            link& to = of(peer);
            if (record.bytes != 0 || record.value > static_cast<std::uint64_t>(to.unmatched)) return false;
            to.unmatched -= static_cast<int>(record.value);
            return true;
        }
        default: return false;
    }
}

bool node_transport::arrive_small(rank_t peer, const ring_entry& record) {
    const bytes_t size = static_cast<bytes_t>(record.bytes) - sequence_bytes;
    if (size < 0 || size > longest_small_) return false;
    std::int64_t sequence = 0;
    collsched::detail::copy_once(sequence, record.body);
    const std::byte* const bytes = record.body + sequence_bytes;
    const collsched::detail::message_name name{peer, record.id, record.value, sequence};
    if (incoming* const receive = receives_.find(name)) {
        const bool fits = fit(*receive, size);
        if (fits) receive->target.take(bytes, size);
        give_credit(peer);
        finish(receives_, *receive, fits ? 0 : transport_error::size_mismatch);
        return true;
    }
    if (of(peer).early == most_early) return false;
    ++of(peer).early;
    arrival& early = arrivals_.take();
    early.name = name;
    early.about = {.sequence = sequence, .size = size};
    early.bytes.assign(bytes, bytes + size);
    arrivals_.enter_index(early);
    return true;
}

bool node_transport::arrive_announced(rank_t peer, const ring_entry& record) {
    announcement about;
    if (record.bytes != sizeof about) return false;
    collsched::detail::copy_once(about, record.body);
    if (about.size < 0 || about.send == 0) return false;
    const collsched::detail::message_name name{peer, record.id, record.value, about.sequence};
    if (incoming* const receive = receives_.find(name)) {
        receives_.leave_index(*receive);
        if (fit(*receive, about.size)) return request_bytes(*receive, about), true;
        decline(peer, about.send);
        finish(receives_, *receive, transport_error::size_mismatch);
        return true;
    }
    if (of(peer).announced == most_announced) return false;
    ++of(peer).announced;
    arrival& early = arrivals_.take();
    early.name = name;
    early.about = about;
    arrivals_.enter_index(early);
    return true;
}

bool node_transport::begin_stream(rank_t peer, const ring_entry& record) {
    outgoing* const send = sends_.find(record.id);
    if (send != nullptr) {
        if (send->name.peer != peer || send->receive != 0) return false;
        if (record.value == 0) return finish(sends_, *send, 0), true;  // the error is the receiver's alone
        send->receive = record.value;
        send->next = collsched::detail::part_walk<send_part>(send->parts);
    }
    if (record.value != 0) of(peer).streams.push({record.id, record.value});
    return true;
}

bool node_transport::fill(rank_t peer, const ring_entry& record) {
    incoming* const receive = receives_.find(record.id);
    if (receive == nullptr) return true;  // cancelled
    const bytes_t size = record.bytes;
    if (receive->name.peer != peer || !receive->requested || !receive->target.accepts(size)) return false;
    receive->target.take(record.body, size);
    if (receive->target.left() == 0) finish(receives_, *receive, 0);
    return true;
}

bool node_transport::end_receive(rank_t peer, const ring_entry& record) {
    incoming* const receive = receives_.find(record.id);
    if (receive == nullptr) return true;
    if (receive->name.peer != peer || !receive->requested) return false;
    finish(receives_, *receive, error_of_lost(call_of(receive->name)));
    return true;
}

}  // namespace collsched::preload
