#pragma once

#include <concepts>
#include <cstdint>
#include <span>

#include "collsched/execute/shared_memory/detail/message_pool.hpp"
#include "collsched/execute/shared_memory/detail/message_shelf.hpp"
#include "collsched/execute/shared_memory/detail/message_target.hpp"
#include "collsched/execute/shared_memory/detail/note.hpp"
#include "collsched/execute/shared_memory/detail/ring.hpp"
#include "collsched/execute/transport.hpp"
#include "collsched/execute/transport_error.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Whether a record is a short message of this name, schedule and size.
inline bool is_message_of(const ring_entry& record, const message_key& key, bytes_t size) {
    if (record.kind != message_note::kind_with(message_note::small, key.fingerprint) || record.id == 0 ||
        size > longest_short || record.value != key.epoch ||
        record.bytes != sizeof(message_label) + static_cast<std::uint64_t>(size))
        return false;
    message_label label;
    copy_once(label, record.body);
    return label.sequence == key.sequence && label.channel == key.channel;
}

/// A receive that has been posted.
struct incoming_message {
    std::uint64_t id = 0;
    message_name name;
    message_request request;
    message_target target;
    std::uint64_t fingerprint = 0;
    remote_message from;     // id 0: it has not met its send
    bool requested = false;  // its bytes, in parts

    template <class Memory>
    void aim(const message_key& key, const Memory& memory) {
        if constexpr (std::same_as<Memory, combined_part>) target.combine_into(memory);
        else target.copy_into(memory);
        name = name_of(key);
        request = key.request;
        fingerprint = key.fingerprint;
        from = {};
        requested = false;
    }
    /// Makes the receive expect a message. @return 0, or an error
    /// @param shorter  it may be shorter than a receive without fingerprint that does not combine
    int fit(const sent_message& sent, bool shorter) {
        const message_envelope& about = sent.about;
        const std::uint64_t own = sent.bytes != nullptr ? folded(fingerprint) : fingerprint;
        if (!shorter && about.fingerprint != own) return transport_error::disagreement;
        if (about.size == target.size()) return 0;
        if (!shorter || fingerprint != 0 || target.combines() || about.size > target.size())
            return transport_error::size_mismatch;
        target.shorten(about.size);
        return 0;
    }
};

/// The receive of a short message that waits alone, or longer than all others of its rank.
struct oldest_receive {
    bool waits = false, combines = false;
    message_key key;
    std::span<const receive_part> parts;
    combined_part part;

    void set(const message_key& of, std::span<const receive_part> into) {
        waits = true, combines = false;
        key = of;
        parts = into;
    }
    void set(const message_key& of, const combined_part& into) {
        waits = combines = true;
        key = of;
        part = into;
    }
    bytes_t size() const { return combines ? bytes_of(part) : bytes_of(parts); }
    void aim(incoming_message& receive) const { combines ? receive.aim(key, part) : receive.aim(key, parts); }
};

/// State of an inbox for one rank.
struct inbox_link {
    enum copying { unknown, once, twice };
    ring_reader ring;
    std::int64_t early = 0;     // messages that wait for their receives
    std::int64_t expected = 0;  // receives that wait for their messages
    oldest_receive oldest;      // one of them; the index has the others
    message_shelf shelf;
    copying copies = unknown;
    std::int64_t process = 0;  // that may be read, once `copies` is known

    inbox_link(const ring_memory& memory, bytes_t longest, int most) : ring(memory), shelf(longest, most) {}
    /// Whether large messages of the rank are copied straight from its memory. Finds out once that one has joined.
    template <class Room>
    bool reads_memory(const Room& room, rank_t peer) {
        if constexpr (Room::one_process) return true;
        else if (copies == unknown && room.has_joined(peer)) {
            process = room.readable_process(peer);
            copies = process != 0 ? once : twice;
        }
        return copies == once;
    }
    void leave_oldest() { oldest.waits = false, --expected; }
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
