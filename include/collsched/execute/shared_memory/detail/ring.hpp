#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
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

/// A record as it is in a ring. It is there as soon as it has the stamp of its position, so that one cache line carries
/// the notice, and up to 32 bytes of the body.
struct stamped_record {
    std::uint64_t stamp = 0;
    ring_record head;
};
static_assert(sizeof(stamped_record) == 32);

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

/// The part of a ring that its reader writes: its position in bytes since the beginning. All zero is an empty ring.
struct ring_control {
    alignas(128) std::atomic<std::uint64_t> read;
    std::atomic<std::uint32_t> starved;  // the writer found no room: the reader wakes it when there is some
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free && std::atomic<std::uint32_t>::is_always_lock_free &&
                  std::atomic_ref<std::uint64_t>::is_always_lock_free,
              "atomics in memory shared between processes must not need a lock");

/// The memory of a ring: `bytes` is a power of two of 1024 or more, and data are zero at first. Both ends have the same odd
/// random key, so that no message contains the stamp of a position, except by intent.
struct ring_memory {
    ring_control* control = nullptr;
    std::byte* data = nullptr;
    std::uint64_t bytes = 1024;
    std::uint64_t key = 1;

    std::byte* at(std::uint64_t position) const { return data + (position & (bytes - 1)); }
    std::uint64_t to_end(std::uint64_t position) const { return bytes - (position & (bytes - 1)); }
    std::uint64_t stamp(std::uint64_t position) const { return key ^ position; }
    std::atomic_ref<std::uint64_t> stamp_at(std::uint64_t position) const {
        return std::atomic_ref(*static_cast<std::uint64_t*>(static_cast<void*>(at(position))));
    }
    /// Returns the size of a record: whole cache lines, so that a record of one line is in one.
    static constexpr std::uint64_t record_size(std::uint64_t body) {
        return (sizeof(stamped_record) + body + 63) / 64 * 64;
    }
};

/// Returns the bytes of the longest body that a ring takes in: four such records fit.
constexpr bytes_t longest_body(bytes_t ring_bytes) {
    return ring_bytes / 4 - static_cast<bytes_t>(sizeof(stamped_record));
}

/// The end that writes records into a ring. Where it writes depends on its own counter alone; the reader's is checked
/// whenever it is loaded.
class ring_writer {
  public:
    ring_writer() = default;
    explicit ring_writer(const ring_memory& ring) : ring_(ring) {}

    /// Returns the room for the body of a record, or null while there is none; then the reader wakes the writer when
    /// there is. The record is there for the reader with commit().
    std::byte* reserve(const ring_record& head) {
        const std::uint64_t size = ring_memory::record_size(head.bytes), to_end = ring_.to_end(next_);
        const std::uint64_t gap = size > to_end ? to_end : 0;
        if (!has_room(size + gap)) return nullptr;
        if (gap >= sizeof(stamped_record)) {
            write({});  // kind 0: go on at the beginning
            commit();
        }
        next_ += gap;
        write(head);
        next_ += size;
        return ring_.at(record_start_) + sizeof(stamped_record);
    }
    /// Hands the record that was reserved last to the reader.
    /// @param order  release, or seq_cst before a look whether the reader sleeps
    void commit(std::memory_order order = std::memory_order_release) {
        ring_.stamp_at(record_start_).store(ring_.stamp(record_start_), order);
    }

    /// Returns whether the reader's counter was ahead of this writer, or more than the ring behind it. Then there is no
    /// room any more.
    bool is_broken() const { return broken_; }

  private:
    void write(const ring_record& head) {
        record_start_ = next_;
        std::memcpy(ring_.at(next_) + offsetof(stamped_record, head), &head, sizeof head);
    }
    /// Sets `starved` before it looks again: a reader that makes room in between is seen, or it wakes the writer.
    bool has_room(std::uint64_t size) {
        const auto fits = [&] { return next_ - read_ + size <= ring_.bytes; };
        if (fits()) return true;
        if (!load_read()) return false;
        if (fits()) return true;
        ring_.control->starved.store(1);
        return load_read() && fits();
    }
    bool load_read() {
        if (!broken_) read_ = ring_.control->read.load();
        if (next_ - read_ > ring_.bytes) {
            broken_ = true;
            read_ = next_ - ring_.bytes;
        }
        return !broken_;
    }

    ring_memory ring_;
    std::uint64_t next_ = 0;
    std::uint64_t record_start_ = 0;  // position of the record that was reserved last
    std::uint64_t read_ = 0;          // as last seen
    bool broken_ = false;
};

/// The end that takes records out of a ring, in order. Nothing that the writer writes makes it read beyond the ring.
class ring_reader {
  public:
    ring_reader() = default;
    explicit ring_reader(const ring_memory& ring) : ring_(ring) {}

    /// Returns whether there may be a record. Sequentially consistent: for a look before a sleep.
    bool has_record() const {
        return ring_.to_end(next_) < sizeof(stamped_record) || ring_.stamp_at(next_).load() == ring_.stamp(next_);
    }
    /// Returns the oldest record, or null. It stays where it is until pop(). Its body is within the ring.
    const ring_entry* front() {
        while (!broken_) {
            const std::uint64_t to_end = ring_.to_end(next_);
            if (to_end >= sizeof(stamped_record)) {
                if (ring_.stamp_at(next_).load(std::memory_order_acquire) != ring_.stamp(next_)) return nullptr;
                copy_once(static_cast<ring_record&>(entry_), ring_.at(next_) + offsetof(stamped_record, head));
                entry_.body = ring_.at(next_) + sizeof(stamped_record);
                if (entry_.kind != 0 && ring_memory::record_size(entry_.bytes) <= to_end) return &entry_;
                broken_ = entry_.kind != 0 || to_end == ring_.bytes;
            }
            if (!broken_) next_ += to_end;
        }
        return nullptr;
    }
    /// Gives back the room of the record that front() returned last. The writer receives room in parts of an eighth of
    /// the ring, so that most records move no line for it: an empty ring always has room for any record.
    /// @return true: the writer waits for room, and must be woken
    bool pop() {
        next_ += ring_memory::record_size(entry_.bytes);
        if (next_ - released_ < ring_.bytes / 8) return false;
        released_ = next_;
        ring_.control->read.store(next_);
        return ring_.control->starved.load() != 0 && ring_.control->starved.exchange(0) != 0;
    }

    /// Returns the number of bytes that have been taken out.
    std::uint64_t position() const { return next_; }
    /// Returns whether a record did not fit into the ring. Then no record comes any more.
    bool is_broken() const { return broken_; }

  private:
    ring_memory ring_;
    std::uint64_t next_ = 0, released_ = 0;
    ring_entry entry_;  // the record that front() returned last
    bool broken_ = false;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
