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

#include "collsched/execute/shared_memory/detail/group_error.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/execute/shared_memory/detail/ring.hpp"
#include "collsched/execute/shared_memory/detail/ringers.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// A file descriptor that is closed when it goes.
class open_file {
  public:
    open_file() = default;
    explicit open_file(int fd) : fd_(fd) {}
    open_file(open_file&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    open_file& operator=(open_file&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~open_file() {
        if (fd_ >= 0) ::close(fd_);
    }

    bool is_open() const { return fd_ >= 0; }
    int number() const { return fd_; }

    /// Locks one byte for all processes that share this open file. The kernel unlocks it when the last such process has
    /// ended, be it a zombie. 0 or errno; EAGAIN where another holds it.
    int lock(std::int64_t byte) const { return locked(F_WRLCK, byte); }
    int unlock(std::int64_t byte) const { return locked(F_UNLCK, byte); }
    /// Whether anyone who opened the file apart from this holds one of these bytes; all from the first on if count is
    /// 0.
    bool is_locked(std::int64_t first, std::int64_t count = 1) const {
        struct flock lock = of(F_WRLCK, first, count);
        return ::fcntl(fd_, F_OFD_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
    }

  private:
    static struct flock of(int type, std::int64_t first, std::int64_t count = 1) {
        struct flock lock{};
        lock.l_type = static_cast<short>(type);
        lock.l_whence = SEEK_SET;
        lock.l_start = first;
        lock.l_len = count;
        return lock;
    }
    int locked(int type, std::int64_t byte) const {
        struct flock lock = of(type, byte);
        return ::fcntl(fd_, F_OFD_SETLK, &lock) == 0 ? 0 : errno;
    }

    int fd_ = -1;
};

/// Wakes all processes that sleep on a word of a segment.
inline void wake_all(std::atomic<std::uint32_t>& word) {
    ::syscall(SYS_futex, &word, FUTEX_WAKE, std::numeric_limits<int>::max(), nullptr, nullptr, 0);
}
/// Sleeps until the word is woken or no longer has this value, or for so long.
inline void sleep_on(std::atomic<std::uint32_t>& word, std::uint32_t value, std::chrono::nanoseconds most) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(most);
    const timespec time{static_cast<time_t>(seconds.count()), static_cast<long>((most - seconds).count())};
    ::syscall(SYS_futex, &word, FUTEX_WAIT, value, &time, nullptr, 0);
}

/// State of one rank that the other ranks read.
struct process_seat {
    enum state : std::uint32_t { absent, present, left, died };

    alignas(64) std::atomic<std::uint32_t> bell;  // counts in twos; the lowest bit: its rank sleeps on it
    alignas(64) std::atomic<std::uint32_t> now;
    std::atomic<std::int32_t> pid;
    // Address of a word of the memory of the rank, and its value: a process that can read it may read the rest.
    std::atomic<std::uint64_t> secret_at, secret;

    /// Wakes the rank if it sleeps, or makes it look again.
    void ring() {
        if ((bell.fetch_add(2) & 1) == 0) return;
        bell.fetch_and(~std::uint32_t{1});
        wake_all(bell);
    }
    /// Returns whether the rank sleeps, or is about to.
    bool sleeps() const { return (bell.load() & 1) != 0; }
    /// Sleeps while the count is `seen`, unless has_news() returns true after others can see that the rank sleeps.
    void sleep(std::uint32_t seen, std::chrono::nanoseconds most, auto has_news) {
        if (!bell.compare_exchange_strong(seen, seen | 1)) return;
        if (!has_news()) sleep_on(bell, seen | 1, most);
        bell.fetch_and(~std::uint32_t{1});
    }
};

/// The memory that the ranks of a group share: a seat each with a bit for each rank that has rung it, and a ring from each
/// to each other, in all 128 + p (128 + 128 ceil(p/1024)) + p (p-1) (128 + ring_bytes) bytes. Where they are follows from
/// the arguments of map() alone, whatever others write into the segment.
class process_segment {
  public:
    process_segment() = default;
    process_segment(process_segment&& other) noexcept
        : base_(std::exchange(other.base_, nullptr)),
          size_(std::exchange(other.size_, 0)),
          ranks_(other.ranks_),
          ring_bytes_(other.ring_bytes_),
          key_(other.key_) {}
    process_segment& operator=(process_segment&& other) noexcept {
        std::swap(base_, other.base_);
        std::swap(size_, other.size_);
        std::swap(ranks_, other.ranks_);
        std::swap(ring_bytes_, other.ring_bytes_);
        std::swap(key_, other.key_);
        return *this;
    }
    ~process_segment() {
        if (base_ != nullptr) ::munmap(base_, size_);
    }

    static bytes_t bytes(rank_t ranks, bytes_t ring_bytes) {
        return static_cast<bytes_t>(sizeof(head)) + ranks * seat_bytes(ranks) +
               ranks * (ranks - 1) * (static_cast<bytes_t>(sizeof(ring_control)) + ring_bytes);
    }

    /// Maps a file, which is made so large first where it is empty, and cannot be truncated afterwards if it takes
    /// seals. Memory that is not there is an error now, rather than a signal when it is used. One process at a time.
    group_error map(const open_file& file, rank_t ranks, bytes_t ring_bytes) {
        const bytes_t wanted = bytes(ranks, ring_bytes);
        bytes_t found = 0;
        if (group_error error = size_of(file, found)) return error;
        const bool fresh = found == 0;
        if (!fresh && found != wanted) return {EPROTO, "all ranks give the same ranks and ring_bytes"};
        if (fresh)
            if (const int error = ::posix_fallocate(file.number(), 0, wanted)) return {error, "posix_fallocate"};
        ::fcntl(file.number(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);  // files of tmpfs take none
        if (group_error error = size_of(file, found)) return error;
        if (found != wanted) return {EPROTO, "the segment: truncated by another process"};
        void* const at =
            ::mmap(nullptr, static_cast<std::size_t>(wanted), PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
        if (at == MAP_FAILED) return {errno, "mmap"};
        base_ = static_cast<std::byte*>(at);
        size_ = static_cast<std::size_t>(wanted);
        ranks_ = ranks;
        ring_bytes_ = ring_bytes;
        if (fresh) {
            begin().ranks = ranks;
            begin().ring_bytes = ring_bytes;
            if (::getrandom(&begin().key, sizeof key_, 0) != static_cast<ssize_t>(sizeof key_))
                return {errno, "getrandom"};
            begin().layout = current_layout;
        }
        const bool same =
            begin().layout == current_layout && begin().ranks == ranks && begin().ring_bytes == ring_bytes;
        key_ = begin().key | 1;
        return same ? group_error{} : group_error{EPROTO, "all ranks give the same ranks and ring_bytes"};
    }

    /// How many have ever come. Changed by one at a time, read by all.
    std::atomic<std::uint32_t>& joined() const { return begin().joined; }
    process_seat& seat(rank_t rank) const {
        return *std::launder(reinterpret_cast<process_seat*>(base_ + sizeof(head) + rank * seat_bytes(ranks_)));
    }
    /// The ranks that have rung a rank.
    ringers ringers_of(rank_t rank) const {
        return {std::launder(reinterpret_cast<std::atomic<std::uint64_t>*>(&seat(rank) + 1)), ranks_};
    }
    ring_control& control(rank_t from, rank_t to) const {
        return *std::launder(reinterpret_cast<ring_control*>(ring(from, to)));
    }
    std::byte* data(rank_t from, rank_t to) const { return ring(from, to) + sizeof(ring_control); }
    ring_writer writer(rank_t from, rank_t to) const { return ring_writer(memory(from, to)); }
    ring_reader reader(rank_t from, rank_t to) const { return ring_reader(memory(from, to)); }
    /// Returns the ring from a rank to another.
    ring_memory memory(rank_t from, rank_t to) const {
        return {&control(from, to), data(from, to), static_cast<std::uint64_t>(ring_bytes_), key_};
    }

    /// Maps the pages of a ring, so that its first records cause no page faults. Kernels before Linux 5.14 map them at
    /// their first use instead.
    void map_pages(rank_t from, rank_t to) const {
#ifdef MADV_POPULATE_WRITE
        const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
        const auto first = reinterpret_cast<std::uintptr_t>(data(from, to)) / page * page;
        const auto end = reinterpret_cast<std::uintptr_t>(data(from, to) + ring_bytes_);
        ::madvise(reinterpret_cast<void*>(first), end - first, MADV_POPULATE_WRITE);
#endif
    }

  private:
    /// Written by the first, compared by all as they join, and not read afterwards but for `joined`.
    struct alignas(128) head {
        std::uint64_t layout;
        rank_t ranks;
        bytes_t ring_bytes;
        std::uint64_t key;  // random, of the rings
        std::atomic<std::uint32_t> joined;
    };
    static_assert(sizeof(head) == 128 && sizeof(process_seat) == 128 && sizeof(ring_control) == 128);
    /// Set last. Another number with every change of the layout.
    static constexpr std::uint64_t current_layout = 0x636f6c6c73636833;

    static bytes_t seat_bytes(rank_t ranks) {
        return static_cast<bytes_t>(sizeof(process_seat)) + (ranks + 1023) / 1024 * 128;
    }
    static group_error size_of(const open_file& file, bytes_t& bytes) {
        struct stat found{};
        if (::fstat(file.number(), &found) != 0) return {errno, "fstat"};
        bytes = found.st_size;
        return {};
    }
    head& begin() const { return *std::launder(reinterpret_cast<head*>(base_)); }
    std::byte* ring(rank_t from, rank_t to) const {
        const rank_t p = ranks_, index = from * (p - 1) + (to < from ? to : to - 1);
        return base_ + bytes(p, ring_bytes_) -
               (p * (p - 1) - index) * (static_cast<bytes_t>(sizeof(ring_control)) + ring_bytes_);
    }

    std::byte* base_ = nullptr;
    std::size_t size_ = 0;
    rank_t ranks_ = 0;
    bytes_t ring_bytes_ = 0;
    std::uint64_t key_ = 1;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
