#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "collsched/execute/shared_memory/detail/process_ring.hpp"

namespace collsched::preload {

using ring_record = collsched::detail::ring_record;
using ring_entry = collsched::detail::ring_entry;

/// Header of a record in a ring whose ends poll. A record is there as soon as it has the stamp of its position, so that
/// one cache line carries the notice and a short message. Kind 0 belongs to the ring.
struct stamped_record {
    std::uint64_t stamp = 0;
    ring_record head;
};
static_assert(std::atomic_ref<std::uint64_t>::is_always_lock_free);

/// The memory of a ring: `bytes` is a power of two of 1024 or more, data are zero at first. Both ends have the same odd
/// random key, so that no message contains the stamp of a position, except by intent.
struct ring_memory {
    collsched::detail::ring_control* control = nullptr;
    std::byte* data = nullptr;
    std::uint64_t bytes = 0;
    std::uint64_t key = 1;

    std::byte* at(std::uint64_t position) const { return data + position % bytes; }
    std::uint64_t to_end(std::uint64_t position) const { return bytes - position % bytes; }
    std::uint64_t stamp(std::uint64_t position) const { return key ^ position; }
    /// Returns the room that a record needs.
    static std::uint64_t room(std::uint64_t body) { return (sizeof(stamped_record) + body + 7) / 8 * 8; }
    /// Returns the bytes of the longest body: four such records fit into a ring.
    static constexpr bytes_t longest_body(bytes_t ring_bytes) {
        return ring_bytes / 4 - static_cast<bytes_t>(sizeof(stamped_record));
    }
    static std::atomic_ref<std::uint64_t> stamp_at(std::byte* at) {
        return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(at));
    }
};

/// The end that writes records. Where it writes depends on its own counter alone; the reader's is checked.
class polled_writer {
  public:
    polled_writer() = default;
    explicit polled_writer(const ring_memory& ring) : ring_(ring) {}

    /// Returns the room for the body of a record, or null while there is none. commit() must follow.
    std::byte* reserve(const ring_record& head) {
        const std::uint64_t size = ring_memory::room(head.bytes), to_end = ring_.to_end(next_);
        const std::uint64_t gap = size > to_end ? to_end : 0;
        if (!has_room(size + gap)) return nullptr;
        if (gap >= sizeof(stamped_record)) {
            write({});  // kind 0: go on at the beginning
            commit();
        }
        next_ += gap;
        begun_ = next_;
        write(head);
        next_ += size;
        return ring_.at(begun_) + sizeof(stamped_record);
    }
    /// Replaces the value of the record that was reserved last.
    /// @pre commit() has not been called for it
    void set_value(std::uint64_t value) {
        std::memcpy(ring_.at(begun_) + offsetof(stamped_record, head.value), &value, sizeof value);
    }
    /// Hands the record that was reserved last to the reader.
    void commit() { ring_memory::stamp_at(ring_.at(begun_)).store(ring_.stamp(begun_), std::memory_order_release); }

  private:
    void write(const ring_record& head) {
        begun_ = next_;
        std::memcpy(ring_.at(next_) + offsetof(stamped_record, head), &head, sizeof head);
    }
    bool has_room(std::uint64_t size) {
        const auto fits = [&] { return next_ - read_ + size <= ring_.bytes; };
        if (fits()) return true;
        const std::uint64_t read = ring_.control->read.load(std::memory_order_acquire);
        if (next_ - read <= ring_.bytes) read_ = read;  // else it is no position of a correct reader
        return fits();
    }

    ring_memory ring_;
    std::uint64_t next_ = 0;
    std::uint64_t begun_ = 0;  // position of the record that was reserved last
    std::uint64_t read_ = 0;   // as last seen
};

/// The end that takes records out, in order. Nothing that the writer writes makes it read beyond the ring.
class polled_reader {
  public:
    polled_reader() = default;
    explicit polled_reader(const ring_memory& ring) : ring_(ring) {}

    /// Returns the oldest record, or null. It stays where it is until pop(). Its body is within the ring.
    const ring_entry* front() {
        while (!broken_) {
            const std::uint64_t to_end = ring_.to_end(next_);
            if (to_end >= sizeof(stamped_record)) {
                std::byte* const at = ring_.at(next_);
                if (ring_memory::stamp_at(at).load(std::memory_order_acquire) != ring_.stamp(next_)) return nullptr;
                collsched::detail::copy_once(static_cast<ring_record&>(entry_), at + offsetof(stamped_record, head));
                entry_.body = at + sizeof(stamped_record);
                if (entry_.kind != 0 && ring_memory::room(entry_.bytes) <= to_end) return &entry_;
                broken_ = entry_.kind != 0 || to_end == ring_.bytes;
            }
            if (!broken_) next_ += to_end;
        }
        return nullptr;
    }
    /// Gives back the room of the record that front() returned last.
    void pop() {
        next_ += ring_memory::room(entry_.bytes);
        ring_.control->read.store(next_, std::memory_order_release);
    }
    /// Returns the number of bytes that have been taken out.
    std::uint64_t position() const { return next_; }
    /// Returns whether a record did not fit into the ring. Then no record comes any more.
    bool is_broken() const { return broken_; }

  private:
    ring_memory ring_;
    std::uint64_t next_ = 0;
    ring_entry entry_;  // the record that front() returned last
    bool broken_ = false;
};

}  // namespace collsched::preload
