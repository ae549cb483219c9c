#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

#include "collsched/core/byte_range.hpp"

namespace collsched::inline v0_1 {

/// What stands before the bytes of a record in a ring. Kind 0 is the ring's own; id and value are the writer's.
struct ring_record {
    std::uint32_t bytes = 0;  ///< of the body that follows
    std::uint32_t kind = 0;
    std::uint64_t id = 0;
    std::uint64_t value = 0;

    const std::byte* body() const { return reinterpret_cast<const std::byte*>(this + 1); }
};

/// The shared part of a ring: how far writer and reader are, in bytes since the beginning. All zero is an empty ring.
struct ring_control {
    alignas(64) std::atomic<std::uint64_t> written;
    alignas(64) std::atomic<std::uint64_t> read;
    std::atomic<std::uint32_t> starved;  // the writer found no room: the reader tells it when there is some
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free && std::atomic<std::uint32_t>::is_always_lock_free,
              "atomics in memory shared between processes must not need a lock");

/// The longest body that a ring of so many bytes takes in: four such records fit.
constexpr bytes_t longest_body(bytes_t ring_bytes) {
    return ring_bytes / 4 - static_cast<bytes_t>(sizeof(ring_record));
}

/// The one that writes records into a ring. `bytes` is a power of two, of 1024 or more.
class ring_writer {
  public:
    ring_writer() = default;
    ring_writer(ring_control& control, std::byte* data, bytes_t bytes)
        : control_(&control), data_(data), bytes_(static_cast<std::uint64_t>(bytes)) {}

    /// Room for the body of a record, or null while there is none; then the reader is asked to tell when there is. The
    /// record is there for the reader with commit().
    std::byte* reserve(const ring_record& head) {
        const std::uint64_t size = (sizeof(ring_record) + head.bytes + 7) / 8 * 8;
        const std::uint64_t to_end = bytes_ - next_ % bytes_, gap = size > to_end ? to_end : 0;
        if (!room(size + gap)) return nullptr;
        if (gap >= sizeof(ring_record)) new (data_ + next_ % bytes_) ring_record;  // kind 0: go on at the beginning
        next_ += gap;
        std::byte* const at = data_ + next_ % bytes_;
        new (at) ring_record(head);
        next_ += size;
        return at + sizeof(ring_record);
    }
    void commit() { control_->written.store(next_); }

  private:
    /// Asks before it looks again, so that a reader which makes room in between either is seen or tells.
    bool room(std::uint64_t size) {
        const auto fits = [&] { return next_ + size - read_ <= bytes_; };
        if (fits()) return true;
        read_ = control_->read.load();
        if (fits()) return true;
        control_->starved.store(1);
        read_ = control_->read.load();
        return fits();
    }

    ring_control* control_ = nullptr;
    std::byte* data_ = nullptr;
    std::uint64_t bytes_ = 0, next_ = 0;
    std::uint64_t read_ = 0;  // as last seen
};

/// The one that takes records out of a ring, in order.
class ring_reader {
  public:
    ring_reader() = default;
    ring_reader(ring_control& control, const std::byte* data, bytes_t bytes)
        : control_(&control), data_(data), bytes_(static_cast<std::uint64_t>(bytes)) {}

    /// The oldest record, or null. It stays where it is until pop().
    const ring_record* front() {
        for (;;) {
            if (next_ == written_ && next_ == (written_ = control_->written.load())) return nullptr;
            const std::uint64_t to_end = bytes_ - next_ % bytes_;
            const auto* const record = reinterpret_cast<const ring_record*>(data_ + next_ % bytes_);
            if (to_end >= sizeof(ring_record) && record->kind != 0) return record;
            next_ += to_end;
        }
    }
    /// Gives back the room of front(). True: the writer waits for room, and is to be told.
    bool pop() {
        next_ += (sizeof(ring_record) + front()->bytes + 7) / 8 * 8;
        control_->read.store(next_);
        return control_->starved.load() != 0 && control_->starved.exchange(0) != 0;
    }

  private:
    ring_control* control_ = nullptr;
    const std::byte* data_ = nullptr;
    std::uint64_t bytes_ = 0, next_ = 0;
    std::uint64_t written_ = 0;  // as last seen
};

}  // namespace collsched::inline v0_1
