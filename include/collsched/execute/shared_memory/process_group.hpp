#pragma once

#include <sys/random.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include "collsched/execute/shared_memory/detail/open_private.hpp"
#include "collsched/execute/shared_memory/detail/process_copy.hpp"
#include "collsched/execute/shared_memory/detail/process_group_options.hpp"
#include "collsched/execute/shared_memory/detail/process_segment.hpp"
#include "collsched/execute/transport.hpp"
#include "collsched/execute/transport_error.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

template <class Room>
class shared_memory_transport;

/// Membership of one rank in a group of processes of one node, which share a segment of memory (process_segment). A
/// rank holds a file lock while it lives, so the other ranks detect every kind of death. A child that a member forks
/// and that does not exec counts as the member. docs/transports.md has the trust model.
class process_group {
  public:
    using options = detail::process_group_options;             ///< the same for all ranks
    using error = transport_error;                             ///< errors of messages between the processes
    using join_error = detail::group_error;                    ///< the reason why processes form no group
    using transport = shared_memory_transport<process_group>;  ///< defined in processes.hpp

    /// Memory for a group whose processes are forked by one process, which makes the room first. It has no name:
    /// only processes that inherit the descriptor can join. Once a process has joined, none can truncate the memory.
    class room {
      public:
        /// Makes the room. check() reports failure.
        room() : file_(::memfd_create("collsched", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
            if (!file_.is_open()) error_ = {errno, "memfd_create"};
        }
        /// Returns the error of the construction, or no error. @return error number of the system, and the failed call
        const join_error& check() const { return error_; }

        /// Opens the memory once more: a lock belongs to the file description that took it.
        /// @return an open file; it is not open after a failure, with the reason in errno
        detail::open_file reopened() const {
            char path[32];
            std::snprintf(path, sizeof path, "/proc/self/fd/%d", file_.number());
            return detail::open_file(::open(path, O_RDWR | O_CLOEXEC));
        }

      private:
        detail::open_file file_;
        join_error error_;
    };

    /// Membership in no group. join() makes it one.
    process_group() = default;
    process_group(const process_group&) = delete;
    process_group& operator=(const process_group&) = delete;
    ~process_group() { leave(); }

    /// Joins the group of this name, as of shm_open: "/name". The first process makes the segment. Its name is gone
    /// as soon as all have joined or one has left, and a name that dead processes left behind is used anew. All
    /// processes have the same effective user.
    ///
    /// EEXIST: the rank is there already. EPROTO: the ranks differ in their parameters. EPERM or EACCES: the name is
    /// that of another user, of a file that others may open, or of something else than shared memory. ETIMEDOUT:
    /// another process is stopped while it joins, or takes the name away again and again; reported after `patience`, a
    /// time of 0 or more, or `forever`.
    /// @param name      "/name"
    /// @param ranks     number of ranks, 1 .. 32768
    /// @param rank      rank of this process, 0 .. ranks-1
    /// @param settings  sizes and thresholds, the same for all ranks
    /// @param patience  longest time to wait for another process that joins
    /// @return no error, or an error number of the system; then the process is no member
    join_error join(const char* name, rank_t ranks, rank_t rank, options settings = {},
                    std::chrono::nanoseconds patience = std::chrono::seconds(10));

    /// Joins the group of processes forked from the one that made the room. Errors as above; EPERM: a process has kept
    /// the memory from being sealed.
    /// @param memory                        room that the common ancestor has made
    /// @param ranks,rank,settings,patience  as above
    /// @return no error, or an error number of the system; then the process is no member
    join_error join(const room& memory, rank_t ranks, rank_t rank, options settings = {},
                    std::chrono::nanoseconds patience = std::chrono::seconds(10));

    /// Waits until every rank has joined. Optional: messages to a rank wait until it joins. Only this function detects
    /// a process that has died before it joined, by ETIMEDOUT. EPIPE: a rank has left or died.
    /// @param timeout  longest time to wait
    /// @return no error, ETIMEDOUT, EPIPE, or EINVAL if this process has not joined
    join_error wait_for_all(std::chrono::nanoseconds timeout);

    /// Ends the membership. @pre no transport of the group exists
    void leave();

    /// Returns the number of ranks of the group. @return 1 or more; 0 before the first join()
    rank_t ranks() const { return ranks_; }
    /// Returns the rank of this process. @return 0 .. ranks()-1; -1 while it is no member
    rank_t rank() const { return rank_; }
    /// Returns the size of each ring between two ranks. @return bytes, a power of two
    bytes_t ring_bytes() const { return settings_.ring_bytes; }
    /// Returns the size of large messages. @return bytes, 0 or more
    bytes_t single_copy_from() const { return settings_.single_copy_from; }
    /// Returns whether all ranks share their memory. @return false: nothing that another rank writes is trusted
    static constexpr bool one_process = false;
    /// Returns the ring from a rank to another. @param from,to  ranks of the group @return memory of the segment
    detail::ring_memory memory(rank_t from, rank_t to) const { return segment_.memory(from, to); }
    /// Returns the process whose memory this one may read, as messages of a rank that has joined.
    /// @param rank  0 .. ranks()-1
    /// @return process; 0: the kernel does not permit it, or single_copy() is false
    std::int64_t readable_process(rank_t rank) const {
        const detail::process_seat& seat = segment_.seat(rank);
        const pid_t process = seat.pid;  // once: the checks below are of this process
        std::uint64_t seen = 0;
        const bool may = settings_.single_copy && detail::is_own_process(process) &&
                         detail::read_process(process, seat.secret_at, &seen, sizeof seen) && seen == seat.secret;
        return may ? process : 0;
    }
    /// Returns the memory of a message. @param process  result of readable_process() @param message  its description
    static detail::process_memory message_memory(std::int64_t process, const detail::remote_message& message) {
        return {static_cast<pid_t>(process), message};
    }
    /// Returns the shared segment. @return reference that is valid while the process is a member
    const detail::process_segment& segment() const { return segment_; }
    /// Returns whether a rank has joined. @param rank  0 .. ranks()-1
    bool has_joined(rank_t rank) const { return state(rank) != detail::process_seat::absent; }
    /// Returns why a rank sends nothing more, as find_dead() has found last.
    /// @param rank  0 .. ranks()-1 @return peer_left, peer_died or 0
    int loss_of(rank_t rank) const {
        const detail::process_seat::state now = state(rank);
        if (now == detail::process_seat::left) return error::peer_left;
        return now == detail::process_seat::died ? error::peer_died : 0;
    }
    /// Returns whether no rank may wait any more: never. @return false
    static constexpr bool is_closed() { return false; }
    /// Returns whether there are more ranks than processors. @return true: a rank that waits gives its processor away
    bool is_crowded() const { return crowded_; }
    /// Returns whether a rank is absent, present, has left or died, as find_dead() has found last.
    /// @param rank  0 .. ranks()-1
    /// @return state in the segment
    detail::process_seat::state state(rank_t rank) const {
        return static_cast<detail::process_seat::state>(segment_.seat(rank).now.load());
    }

    /// Marks the ranks that have died since the last call. If there are any, it rings every rank.
    void find_dead();

    /// Wakes a rank that sleeps, or makes it look again. @param rank  0 .. ranks()-1
    void ring(rank_t rank) const { ring(rank, rank_); }
    /// Returns whether the ranks look into their rings for records, since there are few; otherwise every record rings.
    bool polls() const { return ranks_ <= detail::most_polled; }
    /// Rings a rank for records that were committed with std::memory_order_seq_cst, if it would not find them.
    /// @param rank  0 .. ranks()-1
    void notify(rank_t rank) const {
        if (!polls() || segment_.seat(rank).sleeps()) ring(rank);
    }
    /// Calls f for each rank that has rung this one since the last call, or whose state has changed; where the ranks poll,
    /// for all.
    /// @param f  called with the rank of another member
    void for_each_ringer(auto f) const {
        if (polls()) return for_each_other(f);
        segment_.ringers_of(rank_).take([&](rank_t r) {
            if (r != rank_) f(r);
        });
    }
    /// Calls f for each other rank. @param f  called with a rank
    void for_each_other(auto f) const {
        for (rank_t r = 0; r < ranks_; ++r)
            if (r != rank_) f(r);
    }
    /// Returns the number that every ring of this rank changes. @return an even number
    std::uint32_t rings() const { return segment_.seat(rank_).bell.load() & ~std::uint32_t{1}; }
    /// Sleeps while the count is `seen`. @param seen  a result of rings() @param most  longest time to sleep
    /// @param has_news  called after others can see that this rank sleeps; true: it does not
    void sleep(std::uint32_t seen, std::chrono::nanoseconds most, auto has_news) const {
        segment_.seat(rank_).sleep(seen, most, has_news);
    }

  private:
    using clock = std::chrono::steady_clock;
    static constexpr std::int64_t joining = 0;  // the byte of the file that is locked while a rank joins
    static std::int64_t byte_of(rank_t rank) { return 1 + rank; }

    static clock::time_point after(std::chrono::nanoseconds patience) {
        const auto now = clock::now();
        return patience < clock::time_point::max() - now ? now + patience : clock::time_point::max();
    }
    static join_error lock_joining(const detail::open_file& file, clock::time_point deadline) {
        for (;;) {
            const int failure = file.lock(joining);
            if (failure == 0) return {};
            if (failure != EAGAIN && failure != EACCES) return {failure, "lock"};
            if (clock::now() >= deadline) return {ETIMEDOUT, "another process is joining"};
            const timespec pause{0, 1'000'000};
            ::nanosleep(&pause, nullptr);
        }
    }

    bool is_stale(const detail::open_file& file, rank_t ranks, const options& settings) const;
    /// Takes the file over if all is well.
    join_error sit_down(detail::open_file& file, rank_t ranks, rank_t rank, const options& settings);
    void count_in() const {
        ++segment_.joined();
        detail::wake_all(segment_.joined());
        file_.unlock(joining);
    }
    void ring(rank_t rank, rank_t about) const {
        if (!polls()) segment_.ringers_of(rank).add(about);
        segment_.seat(rank).ring();
    }
    /// After the state of a rank has changed.
    void ring_all(rank_t about) const {
        for (rank_t r = 0; r < ranks_; ++r) ring(r, about);
        detail::wake_all(segment_.joined());
    }

    detail::open_file file_;
    detail::process_segment segment_;
    std::string name_;  // while it may have to be taken away
    rank_t ranks_ = 0, rank_ = -1;
    bool crowded_ = false;
    options settings_;
    std::uint64_t secret_ = 0;
};

inline process_group::join_error process_group::join(const char* name, rank_t ranks, rank_t rank, options settings,
                                                     std::chrono::nanoseconds patience) {
    leave();
    settings = detail::with_defaults(settings, ranks);
    if (join_error failure = detail::check_membership(ranks, rank, settings)) return failure;
    const auto deadline = after(patience);
    do {
        detail::open_file file;
        if (join_error failure = detail::open_private(name, file)) {
            if (failure.number == EAGAIN) continue;
            return failure;
        }
        if (join_error failure = lock_joining(file, deadline)) return failure;
        struct stat found{};
        if (::fstat(file.number(), &found) != 0) return {errno, "fstat"};
        if (found.st_nlink == 0) continue;  // the name was taken away before the lock was ours
        if (found.st_size != 0 && is_stale(file, ranks, settings)) {
            if (::shm_unlink(name) != 0 && errno != ENOENT) return {errno, "shm_unlink"};
            continue;
        }
        if (join_error failure = sit_down(file, ranks, rank, settings)) {
            if (found.st_size == 0) ::shm_unlink(name);
            return failure;
        }
        if (segment_.joined().load() + 1 == static_cast<std::uint32_t>(ranks)) ::shm_unlink(name);
        else name_ = name;
        count_in();
        return {};
    } while (clock::now() < deadline);
    return {ETIMEDOUT, "another process takes the name away"};
}

inline process_group::join_error process_group::join(const room& memory, rank_t ranks, rank_t rank, options settings,
                                                     std::chrono::nanoseconds patience) {
    leave();
    if (const join_error failure = memory.check()) return failure;
    settings = detail::with_defaults(settings, ranks);
    if (join_error failure = detail::check_membership(ranks, rank, settings)) return failure;
    detail::open_file file = memory.reopened();
    if (!file.is_open()) return {errno, "open"};
    if (join_error failure = lock_joining(file, after(patience))) return failure;
    if (join_error failure = sit_down(file, ranks, rank, settings)) return failure;
    count_in();
    if ((::fcntl(file_.number(), F_GET_SEALS) & F_SEAL_SHRINK) == 0) {
        leave();
        return {EPERM, "room: got memory that may be truncated, expected sealed memory"};
    }
    return {};
}

/// Whether a segment is what an earlier group left: nobody is there, or one that was is not any more.
inline bool process_group::is_stale(const detail::open_file& file, rank_t ranks, const options& settings) const {
    if (!file.is_locked(byte_of(0), 0)) return true;
    detail::process_segment found;
    if (found.map(file, ranks, settings.ring_bytes)) return false;
    for (rank_t r = 0; r < ranks; ++r)
        if (found.seat(r).now.load() != detail::process_seat::absent && !file.is_locked(byte_of(r))) return true;
    return false;
}

inline process_group::join_error process_group::sit_down(detail::open_file& file, rank_t ranks, rank_t rank,
                                                         const options& settings) {
    detail::process_segment segment;
    if (join_error failure = segment.map(file, ranks, settings.ring_bytes)) return failure;
    detail::process_seat& seat = segment.seat(rank);
    if (seat.now.load() != detail::process_seat::absent) return {EEXIST, "rank: taken, now or before"};
    if (const int failure = file.lock(byte_of(rank))) return {failure, "lock"};
    if (::getrandom(&secret_, sizeof secret_, 0) != static_cast<ssize_t>(sizeof secret_)) return {errno, "getrandom"};
    seat.pid = ::getpid();
    seat.secret = secret_;
    seat.secret_at = reinterpret_cast<std::uintptr_t>(&secret_);
    seat.now.store(detail::process_seat::present);
    file_ = std::move(file);
    segment_ = std::move(segment);
    ranks_ = ranks;
    rank_ = rank;
    crowded_ = ranks > ::sysconf(_SC_NPROCESSORS_ONLN);  // read once: it opens a file
    settings_ = settings;
    return {};
}

inline process_group::join_error process_group::wait_for_all(std::chrono::nanoseconds timeout) {
    if (rank_ < 0) return {EINVAL, "joined before"};
    const auto start = clock::now();
    for (;;) {
        const std::uint32_t joined = segment_.joined().load();
        if (joined == static_cast<std::uint32_t>(ranks_)) return {};
        find_dead();
        for (rank_t r = 0; r < ranks_; ++r) {
            if (state(r) <= detail::process_seat::present) continue;
            if (segment_.joined().load() == joined) return {EPIPE, "a rank has left or died"};
        }
        const auto left = timeout - (clock::now() - start);
        if (left <= left.zero()) return {ETIMEDOUT, "ranks are missing"};
        const std::chrono::nanoseconds slice = std::chrono::milliseconds(5);
        detail::sleep_on(segment_.joined(), joined, left < slice ? left : slice);
    }
}

inline void process_group::find_dead() {
    for (rank_t r = 0; r < ranks_; ++r) {
        std::uint32_t expected = detail::process_seat::present;
        if (r == rank_ || state(r) != detail::process_seat::present || file_.is_locked(byte_of(r))) continue;
        if (segment_.seat(r).now.compare_exchange_strong(expected, detail::process_seat::died)) ring_all(r);
    }
}

inline void process_group::leave() {
    if (rank_ < 0) return;
    segment_.seat(rank_).now.store(detail::process_seat::left);
    ring_all(rank_);
    // No process can join any more. The name stays if it names another segment by now.
    if (!name_.empty() && !lock_joining(file_, clock::now() + std::chrono::seconds(1))) {
        struct stat found{};
        if (::fstat(file_.number(), &found) == 0 && found.st_nlink != 0) ::shm_unlink(name_.c_str());
    }
    file_ = detail::open_file();
    segment_ = detail::process_segment();
    name_.clear();
    rank_ = -1;
}

}}  // namespace collsched::COLLSCHED_ABI
