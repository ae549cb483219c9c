#pragma once

#include <concepts>
#include <cstdint>
#include <span>

#include "collsched/execute/shared_memory/detail/message_pool.hpp"
#include "collsched/execute/shared_memory/detail/message_storage.hpp"
#include "collsched/execute/shared_memory/detail/message_target.hpp"
#include "collsched/execute/shared_memory/detail/message_record.hpp"
#include "collsched/execute/shared_memory/detail/ring.hpp"
#include "collsched/execute/transport.hpp"
#include "collsched/execute/run_status.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Whether a record is a short message of this name, schedule and size.
inline bool is_message_of(const ring_entry& record, const message::key& key, bytes_t size) {
    if (record.kind != message_record::kind_with(message_record::small, key.fingerprint) || record.id == 0 ||
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
    message::request request;
    message_target target;
    std::uint64_t fingerprint = 0;
    remote_message remote;   // id 0: it has not met its send
    bool requested = false;  // its bytes, in parts

    template <class Memory>
    void aim(const message::key& key, const Memory& memory) {
        if constexpr (std::same_as<Memory, message::combined_part>) target.combine_into(memory);
        else target.copy_into(memory);
        name = name_of(key);
        request = key.request;
        fingerprint = key.fingerprint;
        remote = {};
        requested = false;
    }
    /// Makes the receive expect a message. @return 0, or an error
    /// @param allows_shorter  it may be shorter than a receive without fingerprint that does not combine
    int fit(const sent_message& message, bool allows_shorter) {
        const message_envelope& envelope = message.envelope;
        const std::uint64_t expected_fingerprint = message.bytes != nullptr ? folded(fingerprint) : fingerprint;
        if (!allows_shorter && envelope.fingerprint != expected_fingerprint) return message::error::disagreement;
        if (envelope.size == target.size()) return 0;
        if (!allows_shorter || fingerprint != 0 || target.combines() || envelope.size > target.size())
            return message::error::size_mismatch;
        target.shorten(envelope.size);
        return 0;
    }
};

/// The receive of a short message that waits alone, or longer than all others of its rank.
struct oldest_receive {
    bool waits = false, combines = false;
    message::key key;
    std::span<const message::receive_part> parts;
    message::combined_part part;

    void set(const message::key& posted_key, std::span<const message::receive_part> into) {
        waits = true, combines = false;
        key = posted_key;
        parts = into;
    }
    void set(const message::key& posted_key, const message::combined_part& into) {
        waits = combines = true;
        key = posted_key;
        part = into;
    }
    bytes_t size() const { return combines ? bytes_of(part) : bytes_of(parts); }
    void aim(incoming_message& receive) const { combines ? receive.aim(key, part) : receive.aim(key, parts); }
};

/// State of an inbox for one rank.
struct inbox_link {
    enum copying { unknown, single, double_copy };
    ring_reader ring;
    std::int64_t early = 0;     // messages that wait for their receives
    std::int64_t expected = 0;  // receives that wait for their messages
    oldest_receive oldest;      // one of them; the index has the others
    message_storage storage;
    copying copies = unknown;
    std::int64_t process = 0;  // that may be read, once `copies` is known

    inbox_link(const ring_memory& memory, bytes_t longest, int capacity) : ring(memory), storage(longest, capacity) {}
    /// Whether large messages of the rank are copied straight from its memory. Finds out once that one has joined.
    template <class Group>
    bool reads_memory(const Group& group, rank_t peer) {
        if constexpr (Group::one_process) return true;
        else if (copies == unknown && group.has_joined(peer)) {
            process = group.readable_process(peer);
            copies = process != 0 ? single : double_copy;
        }
        return copies == single;
    }
    void leave_oldest() { oldest.waits = false, --expected; }
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
