#pragma once

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <limits>
#include <new>
#include <utility>

#include "collsched/execute/shared_memory/detail/open_file.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/execute/shared_memory/detail/ring.hpp"
#include "collsched/execute/shared_memory/detail/wakeup.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Blocks and wakes processes on a word of a segment.
struct futex_wait {
    /// Wakes all processes that sleep on the word.
    static void wake(std::atomic<std::uint32_t>& word) {
        ::syscall(SYS_futex, &word, FUTEX_WAKE, std::numeric_limits<int>::max(), nullptr, nullptr, 0);
    }
    /// Sleeps until the word is woken or no longer has this value, or for so long.
    static void wait(std::atomic<std::uint32_t>& word, std::uint32_t value, std::chrono::nanoseconds timeout) {
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(timeout);
        const timespec time{static_cast<time_t>(seconds.count()), static_cast<long>((timeout - seconds).count())};
        ::syscall(SYS_futex, &word, FUTEX_WAIT, value, &time, nullptr, 0);
    }
};

/// State of one rank that the other ranks read.
struct process_member {
    enum state : std::uint32_t { absent, present, departed, died };

    alignas(64) wakeup<futex_wait> sleeper;
    alignas(64) std::atomic<std::uint32_t> status;  // a state
    std::atomic<std::int32_t> pid;
    // Address of a word of the memory of the rank, and its value: a process that can read it may read all memory.
    std::atomic<std::uint64_t> secret_address, secret;
};

/// The memory that the ranks of a group share: the state of each with a bit for each rank that has woken it, and a ring
/// from each to each other, in all 128 + p (128 + 128 ceil(p/1024)) + p (p-1) (128 + ring_bytes) bytes. Where they are
/// follows from the arguments of map() alone, whatever others write into the segment.
class process_segment {
  public:
    process_segment() = default;
    process_segment(process_segment&& other) noexcept : map_(std::exchange(other.map_, {})) {}
    process_segment& operator=(process_segment&& other) noexcept {
        std::swap(map_, other.map_);
        return *this;
    }
    ~process_segment() {
        if (map_.base != nullptr) ::munmap(map_.base, map_.size);
    }

    static bytes_t bytes(rank_t ranks, bytes_t ring_bytes) {
        return static_cast<bytes_t>(sizeof(head)) + ranks * member_bytes(ranks) +
               ranks * (ranks - 1) * (static_cast<bytes_t>(sizeof(ring_control)) + ring_bytes);
    }

    /// Maps a file, which is made so large first where it is empty, and cannot be truncated afterwards if it takes
    /// seals. Memory that is not there is an error now, rather than a signal when it is used. One process at a time.
    group_error map(const open_file& file, rank_t ranks, bytes_t ring_bytes) {
        const bytes_t expected = bytes(ranks, ring_bytes);
        bytes_t length = 0;
        if (group_error error = size_of(file, length)) return error;
        const bool is_new = length == 0;
        if (!is_new && length != expected) return {EPROTO, "all ranks give the same ranks and ring_bytes"};
        if (is_new)
            if (const int error = ::posix_fallocate(file.number(), 0, expected)) return {error, "posix_fallocate"};
        ::fcntl(file.number(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);  // files of tmpfs take none
        if (group_error error = size_of(file, length)) return error;
        if (length != expected) return {EPROTO, "the segment: truncated by another process"};
        void* const at =
            ::mmap(nullptr, static_cast<std::size_t>(expected), PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
        if (at == MAP_FAILED) return {errno, "mmap"};
        map_ = {static_cast<std::byte*>(at), static_cast<std::size_t>(expected), ranks, ring_bytes, 1};
        if (is_new) {
            begin().ranks = ranks;
            begin().ring_bytes = ring_bytes;
            if (::getrandom(&begin().key, sizeof map_.key, 0) != static_cast<ssize_t>(sizeof map_.key))
                return {errno, "getrandom"};
            begin().layout = current_layout;
        }
        const bool matches =
            begin().layout == current_layout && begin().ranks == ranks && begin().ring_bytes == ring_bytes;
        map_.key = begin().key | 1;
        return matches ? group_error{} : group_error{EPROTO, "all ranks give the same ranks and ring_bytes"};
    }

    /// How many have ever come. Changed by one at a time, read by all.
    std::atomic<std::uint32_t>& joined_count() const { return begin().joined_count; }
    process_member& member(rank_t rank) const {
        return *std::launder(
            reinterpret_cast<process_member*>(map_.base + sizeof(head) + rank * member_bytes(map_.ranks)));
    }
    /// The ranks that have woken a rank.
    waker_set wakers_of(rank_t rank) const {
        return {std::launder(reinterpret_cast<std::atomic<std::uint64_t>*>(&member(rank) + 1)), map_.ranks};
    }
    /// Returns the ring from a rank to another.
    ring_memory memory(rank_t from, rank_t to) const {
        std::byte* const control = ring(from, to);
        return {std::launder(reinterpret_cast<ring_control*>(control)), control + sizeof(ring_control),
                static_cast<std::uint64_t>(map_.ring_bytes), map_.key};
    }

    /// Maps the pages of a ring, so that its first records cause no page faults. Kernels before Linux 5.14 map them at
    /// their first use instead.
    void map_pages(rank_t from, rank_t to) const {
#ifdef MADV_POPULATE_WRITE
        const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
        const auto first = reinterpret_cast<std::uintptr_t>(memory(from, to).data) / page * page;
        const auto end = reinterpret_cast<std::uintptr_t>(memory(from, to).data + map_.ring_bytes);
        ::madvise(reinterpret_cast<void*>(first), end - first, MADV_POPULATE_WRITE);
#endif
    }

  private:
    /// Written by the first, compared by all as they join, and not read afterwards but for `joined_count`.
    struct alignas(128) head {
        std::uint64_t layout;
        rank_t ranks;
        bytes_t ring_bytes;
        std::uint64_t key;  // random, of the rings
        std::atomic<std::uint32_t> joined_count;
    };
    static_assert(sizeof(head) == 128 && sizeof(process_member) == 128 && sizeof(ring_control) == 128);
    /// Set last. Another number with every change of the layout.
    static constexpr std::uint64_t current_layout = 0x636f6c6c73636833;

    static bytes_t member_bytes(rank_t ranks) {
        return static_cast<bytes_t>(sizeof(process_member)) + (ranks + 1023) / 1024 * 128;
    }
    static group_error size_of(const open_file& file, bytes_t& bytes) {
        struct stat length{};
        if (::fstat(file.number(), &length) != 0) return {errno, "fstat"};
        bytes = length.st_size;
        return {};
    }
    head& begin() const { return *std::launder(reinterpret_cast<head*>(map_.base)); }
    std::byte* ring(rank_t from, rank_t to) const {
        const rank_t p = map_.ranks, index = from * (p - 1) + (to < from ? to : to - 1);
        return map_.base + bytes(p, map_.ring_bytes) -
               (p * (p - 1) - index) * (static_cast<bytes_t>(sizeof(ring_control)) + map_.ring_bytes);
    }

    /// The mapped memory, and the arguments of map().
    struct mapping {
        std::byte* base = nullptr;
        std::size_t size = 0;
        rank_t ranks = 0;
        bytes_t ring_bytes = 0;
        std::uint64_t key = 1;
    } map_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
