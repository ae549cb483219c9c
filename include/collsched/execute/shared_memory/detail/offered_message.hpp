#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "collsched/execute/detail/part_cursor.hpp"
#include "collsched/execute/transport.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// A copy between two threads that both may do parts of, chunk after chunk.
class chunked_copy {
  public:
    static constexpr bytes_t chunk = 128 * 1024;

    /// Begins a copy, by any number of threads. @pre the last one is closed
    void open(std::span<const message::send_part> from, std::span<const message::receive_part> into, bytes_t size) {
        from_ = from;
        into_ = into;
        size_ = size;
        started_.store(0, std::memory_order_relaxed);
        copied_.store(0, std::memory_order_relaxed);
        chunks_.store((size + chunk - 1) / chunk, std::memory_order_release);
    }
    /// Copies chunks that nobody has begun. The memory of both ends is there until all are copied, so it is looked at
    /// only after one is begun.
    void copy() {
        const std::int64_t chunks = chunks_.load(std::memory_order_acquire);
        std::int64_t index = chunks == 0 ? 0 : started_.fetch_add(1, std::memory_order_relaxed);
        if (index >= chunks) return;
        part_cursor read(from_);
        part_cursor write(into_);
        for (bytes_t at = 0; index < chunks; index = started_.fetch_add(1, std::memory_order_relaxed)) {
            read.skip(index * chunk - at);
            write.skip(index * chunk - at);
            const bytes_t remaining = size_ - index * chunk;
            at = remaining < chunk ? size_ : index * chunk + chunk;
            copy_bytes(read, write, at - index * chunk);
            copied_.fetch_add(1, std::memory_order_release);
        }
    }
    /// Ends the copy. False while chunks are being copied; else nobody copies any more.
    bool close() {
        if (copied_.load(std::memory_order_acquire) < chunks_.load(std::memory_order_relaxed)) return false;
        chunks_.store(0, std::memory_order_relaxed);
        return true;
    }

  private:
    std::span<const message::send_part> from_;
    std::span<const message::receive_part> into_;
    bytes_t size_ = 0;
    std::atomic<std::int64_t> chunks_ = 0, started_ = 0, copied_ = 0;
};

/// State of a large message that its receiver finds at remote_message::guard.
struct offered_message {
    static constexpr std::uint64_t claimed = std::uint64_t{1} << 63;

    std::atomic<std::uint64_t> id = 0;  ///< as long as the memory of the message may be read
    chunked_copy shared;                ///< within a process: the sender may copy a part

    /// Within a process: keeps the other end from using or giving back the memory until release(). False if it has done
    /// so, or the message is another one.
    bool claim(std::uint64_t expected) { return id.compare_exchange_strong(expected, expected | claimed); }
    void release() { id.store(unclaimed_id(), std::memory_order_release); }
    std::uint64_t unclaimed_id() const { return id.load(std::memory_order_relaxed) & ~claimed; }
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
