#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>

#include "collsched/core/byte_range.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Header of a record in a ring. Kind 0 belongs to the ring; id and value belong to the writer.
struct ring_record {
    std::uint32_t bytes = 0;  ///< of the body that follows
    std::uint32_t kind = 0;
    std::uint64_t id = 0;
    std::uint64_t value = 0;
};

/// A record as the reader of a ring sees it: a copy of its head, and its body in the shared memory, which the writer may
/// change at any time. So a reader copies each value of the body once (copy_once) before it checks and uses it.
struct ring_entry : ring_record {
    const std::byte* body = nullptr;
};

/// Copies a value out of memory that another process may change at the same time. The fence keeps the compiler from
/// reading the shared memory again where the copy is used, which would undo checks of the copy.
template <class T>
void copy_once(T& into, const std::byte* from) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::memcpy(&into, from, sizeof into);
    std::atomic_signal_fence(std::memory_order_seq_cst);
}

/// The shared part of a ring: how far writer and reader are, in bytes since the beginning. All zero is an empty ring.
struct ring_control {
    alignas(64) std::atomic<std::uint64_t> written;
    alignas(64) std::atomic<std::uint64_t> read;
    std::atomic<std::uint32_t> starved;  // the writer found no room: the reader wakes it when there is some
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free && std::atomic<std::uint32_t>::is_always_lock_free,
              "atomics in memory shared between processes must not need a lock");

/// The longest body that a ring of so many bytes takes in: four such records fit.
constexpr bytes_t longest_body(bytes_t ring_bytes) {
    return ring_bytes / 4 - static_cast<bytes_t>(sizeof(ring_record));
}

/// The one that writes records into a ring. `bytes` is a power of two, of 1024 or more. Where it writes depends on its own
/// counter alone; the reader's is checked whenever it is loaded.
class ring_writer {
  public:
    ring_writer() = default;
    ring_writer(ring_control& control, std::byte* data, bytes_t bytes)
        : control_(&control), data_(data), bytes_(static_cast<std::uint64_t>(bytes)) {}

    /// Room for the body of a record, or null while there is none; then the reader wakes the writer when there is. The
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

    /// Whether the reader's counter was ahead of this writer, or more than the ring behind it. Then there is no room any
    /// more.
    bool is_broken() const { return broken_; }

  private:
    /// Sets `starved` before it looks again: a reader that makes room in between is seen, or it wakes the writer.
    bool room(std::uint64_t size) {
        const auto fits = [&] { return next_ - read_ + size <= bytes_; };
        if (fits()) return true;
        if (!load_read()) return false;
        if (fits()) return true;
        control_->starved.store(1);
        return load_read() && fits();
    }
    bool load_read() {
        if (!broken_) read_ = control_->read.load();
        if (next_ - read_ > bytes_) {
            broken_ = true;
            read_ = next_ - bytes_;
        }
        return !broken_;
    }

    ring_control* control_ = nullptr;
    std::byte* data_ = nullptr;
    std::uint64_t bytes_ = 0, next_ = 0;
    std::uint64_t read_ = 0;  // as last seen
    bool broken_ = false;
};

/// Takes records out of a ring, in order. Nothing that the writer writes makes it read beyond the ring.
class ring_reader {
  public:
    ring_reader() = default;
    ring_reader(ring_control& control, const std::byte* data, bytes_t bytes)
        : control_(&control), data_(data), bytes_(static_cast<std::uint64_t>(bytes)) {}

    /// The oldest record, or null. It stays where it is until pop(). Its body is within the ring.
    const ring_entry* front() {
        for (;;) {
            if (next_ == written_ && !load_written()) return nullptr;
            const std::uint64_t at = next_ % bytes_, to_end = bytes_ - at, there = written_ - next_;
            if (to_end >= sizeof(ring_record)) {
                copy_once(static_cast<ring_record&>(entry_), data_ + at);
                entry_.body = data_ + at + sizeof(ring_record);
                if (entry_.kind != 0) return size() <= there && size() <= to_end ? &entry_ : break_off();
            }
            if (to_end > there) return break_off();
            next_ += to_end;
        }
    }
    /// Gives back the room of what front() returned last. True: the writer waits for room, and must be woken.
    bool pop() {
        next_ += size();
        control_->read.store(next_);
        return control_->starved.load() != 0 && control_->starved.exchange(0) != 0;
    }

    /// How many bytes have been taken out.
    std::uint64_t position() const { return next_; }
    /// Whether the writer's counter was more than the ring ahead, or a record longer than what was written. Then no record
    /// comes any more.
    bool is_broken() const { return broken_; }

  private:
    std::uint64_t size() const { return (sizeof(ring_record) + entry_.bytes + 7) / 8 * 8; }
    bool load_written() {
        if (broken_) return false;
        __builtin_prefetch(data_ + next_ % bytes_);  // both lines travel at once
        written_ = control_->written.load();
        if (written_ - next_ > bytes_) break_off();
        return next_ != written_;
    }
    const ring_entry* break_off() {
        broken_ = true;
        written_ = next_;
        return nullptr;
    }

    ring_control* control_ = nullptr;
    const std::byte* data_ = nullptr;
    std::uint64_t bytes_ = 0, next_ = 0;
    std::uint64_t written_ = 0;  // as last seen
    ring_entry entry_;           // the record that front() returned last
    bool broken_ = false;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
