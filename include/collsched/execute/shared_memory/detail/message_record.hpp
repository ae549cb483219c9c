#pragma once

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
    std::uint64_t parts =
        0;  ///< address of its array of message::send_part; with count 0: of its bytes, which are one part
    std::uint64_t count = 0;  ///< length of the array
    std::uint64_t guard = 0;  ///< address of a std::uint64_t
    std::uint64_t id = 0;

    /// Names the bytes of a message of one part, so that its array need not be read.
    void name_bytes(const std::byte* data) { parts = reinterpret_cast<std::uintptr_t>(data), count = 0; }
};

/// Description of a message by its sender.
struct message_envelope {
    std::uint64_t channel, epoch;
    std::int64_t sequence;
    std::uint64_t fingerprint;
    bytes_t size;
    remote_message memory;

    message_name name(rank_t peer) const { return {peer, channel, epoch, sequence}; }
};

/// Description of a small message by its sender, beside the head of its record: its value is the epoch, and its kind has
/// the folded fingerprint. With 16 bytes of the message the record is one cache line.
struct message_label {
    std::uint64_t channel;
    std::int64_t sequence;
};

/// Returns the 24 bits of a fingerprint that a small message has: 0 for 0 alone.
constexpr std::uint32_t folded(std::uint64_t fingerprint) {
    const std::uint64_t hash = fingerprint * 0x9e3779b97f4a7c15U >> 40;
    return static_cast<std::uint32_t>(hash == 0 && fingerprint != 0 ? 1 : hash);
}

/// A record from one rank to another, without bytes of messages.
struct message_record {
    enum kind : std::uint32_t {
        small = 1,      ///< a message. id: the send's; value: epoch; body: label and all its bytes; see kind_with()
        announce = 2,   ///< a message whose bytes stay with the sender. id: the send's; body: envelope
        request = 3,    ///< of those bytes. id: the send's; value: the receive's
        part = 4,       ///< some of them. id: the receive's
        reply = 5,      ///< ends a send. id: the send's; value: 0 or the error
        take_back = 6,  ///< ends a message that has no receive. id: the send's
        matched = 7,    ///< ends sends of small messages. value: the ids of the sends from `id` on, a bit each
        awaited = 8,    ///< a small message whose sender waits for the reply; else as small
        share = 9,      ///< within a process: the sender may copy a part of its message. id: the send's
    };

    ring_record head;
    message_envelope envelope{};
    message::request receive{};  ///< that is reported when its reply is written; else without an owner
    int error = 0;               ///< of that receive

    /// The kind in the record of a small message, with its fingerprint.
    static constexpr std::uint32_t kind_with(std::uint32_t kind, std::uint64_t fingerprint) {
        return kind | folded(fingerprint) << 8;
    }
    /// The kind of a record. @return a number that is none where no rank writes such a record
    static constexpr std::uint32_t kind_of(const ring_record& record) {
        const std::uint32_t kind = record.kind & 0xff;
        return kind == small || kind == awaited ? kind : record.kind;
    }
};

inline message_name name_of(const message::key& key) { return {key.peer, key.channel, key.epoch, key.sequence}; }

/// A message, as its record describes it.
struct sent_message {
    std::uint64_t id = 0;
    message_envelope envelope{};       ///< of a small message: with the folded fingerprint
    const std::byte* bytes = nullptr;  ///< of a small message
    bool awaited = false;              ///< its sender waits for the reply

    /// Whether its sender waits for nothing.
    bool is_complete() const { return bytes != nullptr && !awaited; }
};

/// The message of a record of kind small or awaited. @pre it has a label
inline sent_message small_message(const ring_entry& record) {
    message_label label;
    copy_once(label, record.body);
    const bytes_t size = static_cast<bytes_t>(record.bytes) - static_cast<bytes_t>(sizeof label);
    return {record.id,
            {label.channel, record.value, label.sequence, record.kind >> 8, size, {}},
            record.body + sizeof label,
            message_record::kind_of(record) == message_record::awaited};
}
/// The message of a record of kind announce. @pre it has an envelope
inline sent_message announced_message(const ring_entry& record) {
    message_envelope envelope;
    copy_once(envelope, record.body);
    return {record.id, envelope, nullptr, true};
}

}}}  // namespace collsched::COLLSCHED_ABI::detail
