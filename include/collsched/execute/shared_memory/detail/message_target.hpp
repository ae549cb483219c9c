#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "collsched/execute/shared_memory/detail/process_copy.hpp"
#include "collsched/execute/transport.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The target of a message whose bytes arrive in order: the parts of a receive, or a combination. A reduction reads
/// private memory only, since the sender may change its own and the ring at any time. How much is written follows from
/// the receive alone, whatever the other end claims.
///
/// A combination takes chunks, through memory on the stack, if the size of the reduction's values is known and divides
/// part_unit; else the whole message, through memory that the target keeps.
class message_target {
  public:
    /// The senders divide messages at multiples of so many bytes.
    static constexpr bytes_t part_unit = 64;

    message_target() = default;
    message_target(const message_target&) = delete;
    message_target& operator=(const message_target&) = delete;

    void copy_into(std::span<const receive_part> parts) {
        combined_ = {};
        parts_ = parts;
        begin(total_bytes(parts));
    }
    void combine_into(const combined_part& part) {
        combined_ = part;
        const bytes_t element = part.op->element, size = part.into.size;
        unit_of_chunks_ = element > 0 && part_unit % element == 0 && size % element == 0 ? element : 0;
        parts_ = {};
        if (unit_of_chunks_ == 0) {
            message_.resize(static_cast<std::size_t>(size));
            whole_ = {message_.data(), size};
            parts_ = {&whole_, 1};
        }
        begin(size);
    }

    /// Expects a message that is shorter than its parts, and leaves the rest of them as it is.
    /// @pre copy_into() was called last; 0 <= size <= size()
    void shorten(bytes_t size) { size_ = left_ = size; }

    bytes_t size() const { return size_; }
    bytes_t left() const { return left_; }
    /// Returns whether the next part may be so long.
    bool accepts(bytes_t size) const { return size <= left_ && (!in_chunks() || size % unit_of_chunks_ == 0); }

    /// Expects the message from its first byte again. take() skips the bytes that have been combined already.
    void restart() {
        left_ = size_;
        next_ = part_walk<receive_part>(parts_);
    }

    /// Takes the next bytes. Exceptions of a reduction pass through.
    /// @pre accepts(size)
    void take(const std::byte* from, bytes_t size) {
        if (in_chunks()) {
            const bytes_t at = size_ - left_, known = std::clamp<bytes_t>(combined_bytes_ - at, 0, size);
            alignas(64) std::byte room[8192];
            combine_chunks(room, size - known, [&](std::byte* chunk, bytes_t offset, bytes_t n) {
                std::memcpy(chunk, from + known + offset, static_cast<std::size_t>(n));
                return true;
            });
        } else {
            next_.copy_from(from, size);
        }
        left_ -= size;
        if (left_ == 0) combine_whole();
    }

    /// Takes the whole message out of the memory of another process. Returns false where
    /// copy_from_process does; all bytes combined before that are of the message. Exceptions of a reduction pass
    /// through.
    bool take_from(pid_t process, const remote_message& message) {
        if (in_chunks()) {
            send_part part;
            return read_only_part(process, message, part) && take_part(process, message, part);
        }
        if (!copy_from_process(process, message, parts_)) return false;
        left_ = 0;
        combine_whole();
        return true;
    }

    /// As take_from(), for a message whose one part is known. Returns false also if its size is not that of the target.
    bool take_part(pid_t process, const remote_message& message, const send_part& part) {
        if (part.size != size_) return false;
        if (in_chunks()) {
            const std::uint64_t start =
                reinterpret_cast<std::uintptr_t>(part.data) + static_cast<std::uint64_t>(combined_bytes_);
            message_.resize(static_cast<std::size_t>(std::min<bytes_t>(size_, 1 << 18)));  // few calls
            const bool complete =
                combine_chunks(message_, size_ - combined_bytes_, [&](std::byte* chunk, bytes_t offset, bytes_t n) {
                    const std::uint64_t from = start + static_cast<std::uint64_t>(offset);
                    iovec there[2] = {{address(from), static_cast<std::size_t>(n)}, {}};
                    iovec here[2] = {{chunk, static_cast<std::size_t>(n)}, {}};
                    return read_guarded(process, message, n, there, here);
                });
            if (!complete) return false;
        } else if (part_walk<receive_part> into(parts_);
                   !read_parts(process, message, part_walk(std::span(&part, 1)), into)) {
            return false;
        }
        left_ = 0;
        combine_whole();
        return true;
    }

  private:
    bool in_chunks() const { return combined_.op != nullptr && unit_of_chunks_ > 0; }
    void begin(bytes_t size) {
        size_ = size;
        combined_bytes_ = 0;
        restart();
    }
    void combine_whole() {
        if (combined_.op != nullptr && !in_chunks()) combined_.combine(message_.data());
    }
    /// Combines the next bytes, a chunk of the size of `room` after the other, in `room` or in the target, as
    /// fill(chunk, offset, size) copies them. Returns false as soon as it returns false.
    template <class Fill>
    bool combine_chunks(std::span<std::byte> room, bytes_t size, Fill fill) {
        for (bytes_t offset = 0; offset < size;) {
            const bytes_t n = std::min<bytes_t>(size - offset, std::ssize(room));
            const combined_part chunk = combined_.range(combined_bytes_, n);
            const bool received = chunk.combines_received();
            if (!fill(received ? chunk.into.data : room.data(), offset, n)) return false;
            received ? chunk.combine_received() : chunk.combine(room.data());
            combined_bytes_ += n;
            offset += n;
        }
        return true;
    }

    combined_part combined_;  // without op: none
    bytes_t unit_of_chunks_ = 0, combined_bytes_ = 0;
    std::vector<std::byte> message_;  // before it is combined, the whole or a chunk
    receive_part whole_;
    std::span<const receive_part> parts_;
    part_walk<receive_part> next_;
    bytes_t size_ = 0, left_ = 0;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
