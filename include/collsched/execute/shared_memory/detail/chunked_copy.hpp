#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "collsched/execute/part_cursor.hpp"
#include "collsched/execute/transport.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// A copy between two threads that both may do parts of, chunk after chunk.
class chunked_copy {
  public:
    static constexpr bytes_t chunk = 128 * 1024;

    /// Begins a copy, by any number of threads. @pre the last one is closed
    void open(std::span<const send_part> from, std::span<const receive_part> into, bytes_t size) {
        from_ = from;
        into_ = into;
        size_ = size;
        begun_.store(0, std::memory_order_relaxed);
        copied_.store(0, std::memory_order_relaxed);
        chunks_.store((size + chunk - 1) / chunk, std::memory_order_release);
    }
    /// Copies chunks that nobody has begun. The memory of both ends is there until all are copied, so it is looked at
    /// only after one is begun.
    void copy() {
        const std::int64_t chunks = chunks_.load(std::memory_order_acquire);
        std::int64_t mine = chunks == 0 ? 0 : begun_.fetch_add(1, std::memory_order_relaxed);
        if (mine >= chunks) return;
        part_cursor read(from_);
        part_cursor write(into_);
        for (bytes_t at = 0; mine < chunks; mine = begun_.fetch_add(1, std::memory_order_relaxed)) {
            read.skip(mine * chunk - at);
            write.skip(mine * chunk - at);
            const bytes_t left = size_ - mine * chunk;
            at = left < chunk ? size_ : mine * chunk + chunk;
            copy_bytes(read, write, at - mine * chunk);
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
    std::span<const send_part> from_;
    std::span<const receive_part> into_;
    bytes_t size_ = 0;
    std::atomic<std::int64_t> chunks_ = 0, begun_ = 0, copied_ = 0;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
