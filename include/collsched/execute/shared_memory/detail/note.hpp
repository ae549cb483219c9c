#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "collsched/core/byte_range.hpp"
#include "collsched/execute/shared_memory/detail/message_pool.hpp"
#include "collsched/execute/shared_memory/detail/ring.hpp"
#include "collsched/execute/transport.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// A message in the memory of another rank, as that rank describes it. The word at `guard` holds `id` as long as the
/// message may be read.
struct remote_message {
    std::uint64_t parts = 0;  ///< address of its array of send_part
    std::uint64_t count = 0;  ///< length of the array
    std::uint64_t guard = 0;  ///< address of a std::uint64_t
    std::uint64_t id = 0;
};

/// Description of a message by its sender.
struct message_envelope {
    std::uint64_t channel, epoch;
    std::int64_t sequence;
    std::uint64_t fingerprint;
    bytes_t size;
    remote_message where;

    message_name name(rank_t peer) const { return {peer, channel, epoch, sequence}; }
};

/// Description of a small message by its sender, beside the head of its record, whose value is the epoch. With 8 bytes of
/// the message the record is one cache line.
struct message_label {
    std::uint64_t channel;
    std::int64_t sequence;
    std::uint64_t fingerprint;

    /// Returns the description of a message of `size` bytes.
    message_envelope envelope(std::uint64_t epoch, bytes_t size) const {
        return {channel, epoch, sequence, fingerprint, size, {}};
    }
};

/// A record from one rank to another, without bytes of messages.
struct message_note {
    enum kind : std::uint32_t {
        small = 1,      ///< a message. id: the send's; value: epoch; body: label and all its bytes
        announce = 2,   ///< a message whose bytes stay with the sender. id: the send's; body: envelope
        request = 3,    ///< of those bytes. id: the send's; value: the receive's
        part = 4,       ///< some of them. id: the receive's
        reply = 5,      ///< ends a send. id: the send's; value: 0 or the error
        take_back = 6,  ///< ends a message that has no receive. id: the send's
        matched = 7,  ///< ends sends of small messages. id: the first send's; body: the ids of `matched_at_once` sends
        awaited = 8,  ///< a small message whose sender waits for the reply; else as small
        share = 9,    ///< within a process: the sender may copy a part of its message. id: the send's
    };
    /// Number of small messages whose matches are reported together.
    static constexpr std::size_t matched_at_once = 8;
    using matched_ids = std::array<std::uint64_t, matched_at_once>;

    ring_record head;
    message_envelope about{};
    matched_ids ids{};
    message_request receive{};  ///< that is reported when its reply is written; else without an owner

    /// Returns the ids in a record of matches.
    static matched_ids ids_of(const ring_entry& record) {
        matched_ids copy;
        copy_once(copy, record.body);
        return copy;
    }
};

/// A message, as its record describes it.
struct sent_message {
    std::uint64_t id = 0;
    message_envelope about{};
    const std::byte* bytes = nullptr;  ///< of a small message
    bool awaited = false;              ///< its sender waits for the reply
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
