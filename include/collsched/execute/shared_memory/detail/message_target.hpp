#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <span>
#include <utility>
#include <vector>

#include "collsched/core/config.hpp"
#include "collsched/execute/detail/part_cursor.hpp"
#include "collsched/execute/transport.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Bytes of the longest message that is received by receive_short().
inline constexpr bytes_t longest_short = 8192;

inline bytes_t bytes_of(std::span<const message::receive_part> parts) { return total_bytes(parts); }
inline bytes_t bytes_of(const message::combined_part& part) { return part.into.size; }

/// Receives a whole message of bytes_of(parts) bytes.
inline void receive_short(std::span<const message::receive_part> parts, const std::byte* from) {
    for (const message::receive_part& part : parts) {
        copy_few(part.data, from, part.size);
        from += part.size;
    }
}
/// Receives a whole message of bytes_of(part) bytes, longest_short at most. The reduction reads private memory: the target,
/// or a copy.
inline void receive_short(const message::combined_part& part, const std::byte* from) {
    if (part.combines_received()) {
        copy_few(part.into.data, from, part.into.size);
        return part.combine_received();
    }
    alignas(64) std::byte copy[longest_short];
    copy_few(copy, from, part.into.size);
    part.combine(copy);
}

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

    void copy_into(std::span<const message::receive_part> parts) {
        combined_ = {};
        parts_ = parts;
        begin(total_bytes(parts));
    }
    void combine_into(const message::combined_part& part) {
        combined_ = part;
        const bytes_t element = part.op->element, size = part.into.size;
        unit_of_chunks_ = element > 0 && part_unit % element == 0 && size % element == 0 ? element : 0;
        parts_ = {};
        begin(size);
    }

    /// Expects a message that is shorter than its parts, and leaves the rest of them as it is.
    /// @pre copy_into() was called last; 0 <= size <= size()
    void shorten(bytes_t size) { size_ = remaining_ = size; }

    bytes_t size() const { return size_; }
    bytes_t remaining() const { return remaining_; }
    /// Returns whether the next part may be so long.
    bool accepts(bytes_t size) const { return size <= remaining_ && (!in_chunks() || size % unit_of_chunks_ == 0); }

    /// Expects the message from its first byte again. take() skips the bytes that have been combined already.
    void restart() {
        remaining_ = size_;
        next_ = part_cursor<message::receive_part>(parts_);
    }

    /// Takes the next bytes. Exceptions of a reduction pass through.
    /// @pre accepts(size)
    void take(const std::byte* from, bytes_t size) {
        if (combines() && size == size_ && size == remaining_ && size <= longest_short && combined_bytes_ == 0) {
            receive_short(combined_, from);
            combined_bytes_ = size;
            remaining_ = 0;
            return;
        }
        prepare_message();
        if (in_chunks()) {
            const bytes_t at = size_ - remaining_, combined = std::clamp<bytes_t>(combined_bytes_ - at, 0, size);
            alignas(64) std::byte chunk_memory[longest_short];
            combine_chunks(chunk_memory, size - combined, [&](std::byte* chunk, bytes_t offset, bytes_t n) {
                std::memcpy(chunk, from + combined + offset, static_cast<std::size_t>(n));
                return true;
            });
        } else {
            next_.copy_from(from, size);
        }
        remaining_ -= size;
        if (remaining_ == 0) combine_message();
    }

    /// Takes the whole message out of the memory of another process. Returns false where `from` does; all bytes combined
    /// before that are of the message. Exceptions of a reduction pass through.
    /// @param from  as process_memory
    bool take_from(const auto& from) {
        prepare_message();
        if (in_chunks()) {
            message::send_part part;
            return from.read_only_part(size_, part) && take_part(from, part);
        }
        if (!from.copy(size_, parts_)) return false;
        remaining_ = 0;
        combine_message();
        return true;
    }

    /// Takes the whole message out of memory of this process, which does not change meanwhile.
    /// @pre it has size() bytes; to be combined, it is one part
    void take_directly(std::span<const message::send_part> parts) {
        remaining_ = 0;
        if (combined_.op != nullptr) return combined_.combine(parts[0].data);
        part_cursor from(parts);
        part_cursor into(parts_);
        copy_bytes(from, into, size_);
    }

    bool combines() const { return combined_.op != nullptr; }
    /// Returns the memory that is written. @pre not combines()
    std::span<const message::receive_part> parts() const { return parts_; }

    /// As take_from(), for a message whose one part is known. Returns false also if its size is not that of the target.
    bool take_part(const auto& from, const message::send_part& part) {
        if (part.size != size_) return false;
        prepare_message();
        if (in_chunks()) {
            // A part that another process describes may be anywhere: its address is a number.
            const std::uintptr_t start =
                reinterpret_cast<std::uintptr_t>(part.data) + static_cast<std::uintptr_t>(combined_bytes_);
            message_.resize(static_cast<std::size_t>(std::min<bytes_t>(size_, 1 << 18)));  // few calls
            const bool complete =
                combine_chunks(message_, size_ - combined_bytes_, [&](std::byte* chunk, bytes_t offset, bytes_t n) {
                    const std::uintptr_t at = start + static_cast<std::uintptr_t>(offset);
                    return from.read(reinterpret_cast<const std::byte*>(at), chunk, n);
                });
            if (!complete) return false;
        } else if (!from.copy(part, parts_)) {
            return false;
        }
        remaining_ = 0;
        combine_message();
        return true;
    }

  private:
    bool in_chunks() const { return combined_.op != nullptr && unit_of_chunks_ > 0; }
    /// Makes the memory that holds the message before it is combined as a whole.
    void prepare_message() {
        if (combined_.op == nullptr || in_chunks() || !parts_.empty()) return;
        message_.resize(static_cast<std::size_t>(size_));
        message_part_ = {message_.data(), size_};
        parts_ = {&message_part_, 1};
        next_ = part_cursor<message::receive_part>(parts_);
    }
    void begin(bytes_t size) {
        size_ = size;
        combined_bytes_ = 0;
        restart();
    }
    void combine_message() {
        if (combined_.op != nullptr && !in_chunks()) combined_.combine(message_.data());
    }
    /// Combines the next bytes, a chunk of the size of `chunk_memory` after the other, in `chunk_memory` or in the target, as
    /// fill(chunk, offset, size) copies them. Returns false as soon as it returns false.
    bool combine_chunks(std::span<std::byte> chunk_memory, bytes_t size, auto fill) {
        for (bytes_t offset = 0; offset < size;) {
            const bytes_t n = std::min<bytes_t>(size - offset, std::ssize(chunk_memory));
            const message::combined_part chunk = combined_.range(combined_bytes_, n);
            const bool received = chunk.combines_received();
            if (!fill(received ? chunk.into.data : chunk_memory.data(), offset, n)) return false;
            received ? chunk.combine_received() : chunk.combine(chunk_memory.data());
            combined_bytes_ += n;
            offset += n;
        }
        return true;
    }

    message::combined_part combined_;  // without op: none
    bytes_t unit_of_chunks_ = 0, combined_bytes_ = 0;
    std::vector<std::byte> message_;  // before it is combined, the whole or a chunk
    message::receive_part message_part_;
    std::span<const message::receive_part> parts_;
    part_cursor<message::receive_part> next_;
    bytes_t size_ = 0, remaining_ = 0;
};

/// Keeps an exception until the work that it interrupted is in order.
class deferred_exception {
  public:
    /// Calls f. False if it threw; of several exceptions the first is kept.
    bool run(auto f) {
#if COLLSCHED_EXCEPTIONS
        try {
            f();
        } catch (...) {
            if (exception_ == nullptr) exception_ = std::current_exception();
            return false;
        }
#else
        f();
#endif
        return true;
    }

    /// Throws the exception that is kept, if there is one, once.
    void rethrow() {
#if COLLSCHED_EXCEPTIONS
        if (exception_ != nullptr) std::rethrow_exception(std::exchange(exception_, nullptr));
#endif
    }

  private:
#if COLLSCHED_EXCEPTIONS
    std::exception_ptr exception_;
#endif
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
