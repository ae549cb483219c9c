#pragma once

#include <sys/random.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include "collsched/execute/shared_memory/detail/open_file.hpp"
#include "collsched/execute/shared_memory/detail/process_group_options.hpp"
#include "collsched/execute/shared_memory/detail/process_copy.hpp"
#include "collsched/execute/shared_memory/detail/process_segment.hpp"
#include "collsched/execute/transport.hpp"
#include "collsched/execute/run_status.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

template <class Group>
class shared_memory_transport;

}  // namespace detail

/// Membership of one rank in a group of processes of one node, which share a segment of memory (process_segment). A
/// rank holds a file lock while it lives, so the other ranks detect every kind of death. A child that a member forks
/// and that does not exec counts as the member. docs/transports.md has the trust model.
class process_group {
  public:
    using options = detail::process_group_options;                     ///< the same for all ranks
    using error = message::error;                                      ///< errors of messages between the processes
    using join_error = detail::group_error;                            ///< the reason why processes form no group
    using transport = detail::shared_memory_transport<process_group>;  ///< defined in processes.hpp

    /// Memory for a group whose processes are forked by one process, which makes it first. It has no name:
    /// only processes that inherit the descriptor can join. Once a process has joined, none can truncate the memory.
    class anonymous_segment {
      public:
        /// Makes the memory. check() reports failure.
        anonymous_segment() : file_(::memfd_create("collsched", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
            if (!file_.is_open()) error_ = {errno, "memfd_create"};
        }
        /// Returns the error of the construction, or no error. @return error number of the system, and the failed call
        const join_error& check() const { return error_; }

        /// Opens the memory once more: a lock belongs to the file description that took it.
        /// @return an open file; it is not open after a failure, with the reason in errno
        detail::open_file reopen() const {
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
    /// another process is stopped while it joins, or takes the name away again and again; reported after `timeout`, a
    /// time of 0 or more, or `forever`.
    /// @param name      "/name"
    /// @param ranks     number of ranks, 1 .. 32768
    /// @param rank      rank of this process, 0 .. ranks-1
    /// @param settings  sizes and thresholds, the same for all ranks
    /// @param timeout   longest time to wait for another process that joins
    /// @return no error, or an error number of the system; then the process is no member
    join_error join(const char* name, rank_t ranks, rank_t rank, options settings = {},
                    std::chrono::nanoseconds timeout = std::chrono::seconds(10));

    /// Joins the group of processes forked from the one that made the memory. Errors as above; EPERM: a process has kept
    /// the memory from being sealed.
    /// @param memory                       memory that the common ancestor has made
    /// @param ranks,rank,settings,timeout  as above
    /// @return no error, or an error number of the system; then the process is no member
    join_error join(const anonymous_segment& memory, rank_t ranks, rank_t rank, options settings = {},
                    std::chrono::nanoseconds timeout = std::chrono::seconds(10));

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
        const detail::process_member& member = segment_.member(rank);
        const pid_t process = member.pid;  // once: the checks below are of this process
        std::uint64_t secret = 0;
        const bool is_readable = settings_.single_copy && detail::is_own_process(process) &&
                                 detail::read_process(process, member.secret_address, &secret, sizeof secret) &&
                                 secret == member.secret;
        return is_readable ? process : 0;
    }
    /// Returns the memory of a message. @param process  result of readable_process() @param message  its description
    static detail::process_memory message_memory(std::int64_t process, const detail::remote_message& message) {
        return {static_cast<pid_t>(process), message};
    }
    /// Returns the shared segment. @return reference that is valid while the process is a member
    const detail::process_segment& segment() const { return segment_; }
    /// Returns whether a rank has joined. @param rank  0 .. ranks()-1
    bool has_joined(rank_t rank) const { return state(rank) != detail::process_member::absent; }
    /// Returns why a rank sends nothing more, as find_dead() has found last.
    /// @param rank  0 .. ranks()-1 @return peer_left, peer_died or 0
    int loss_of(rank_t rank) const {
        const detail::process_member::state status = state(rank);
        if (status == detail::process_member::departed) return error::peer_left;
        return status == detail::process_member::died ? error::peer_died : 0;
    }
    /// Returns whether no rank may wait any more: never. @return false
    static constexpr bool is_closed() { return false; }
    /// Returns whether there are more ranks than processors. @return true: a rank that waits gives its processor away
    bool is_crowded() const { return crowded_; }
    /// Returns whether a rank is absent, present, has left or died, as find_dead() has found last.
    /// @param rank  0 .. ranks()-1
    /// @return state in the segment
    detail::process_member::state state(rank_t rank) const {
        return static_cast<detail::process_member::state>(segment_.member(rank).status.load());
    }

    /// Marks the ranks that have died since the last call. If there are any, it wakes every rank.
    void find_dead();

    /// Wakes a rank that sleeps, or makes it look again. @param rank  0 .. ranks()-1
    void wake(rank_t rank) const { wake(rank, rank_); }
    /// Returns whether the ranks look into their rings for records, since there are few; otherwise every record wakes its
    /// reader.
    bool polls() const { return ranks_ <= detail::most_polled; }
    /// Wakes a rank for records that were committed with std::memory_order_seq_cst, if it would not find them.
    /// @param rank  0 .. ranks()-1
    void notify(rank_t rank) const {
        if (!polls() || segment_.member(rank).sleeper.is_sleeping()) wake(rank);
    }
    /// Calls f for each rank that has woken this one since the last call, or whose state has changed; where the ranks poll,
    /// for all.
    /// @param f  called with the rank of another member
    void for_each_waker(auto f) const {
        if (polls()) return for_each_other(f);
        segment_.wakers_of(rank_).take([&](rank_t r) {
            if (r != rank_) f(r);
        });
    }
    /// Calls f for each other rank. @param f  called with a rank
    void for_each_other(auto f) const {
        for (rank_t r = 0; r < ranks_; ++r)
            if (r != rank_) f(r);
    }
    /// Returns the number that every wakeup of this rank changes. @return an even number
    std::uint32_t wakeups() const { return segment_.member(rank_).sleeper.count(); }
    /// Sleeps while the count is `count`. @param count  a result of wakeups() @param timeout  longest time to sleep
    /// @param has_news  called after others can see that this rank sleeps; true: it does not
    void sleep(std::uint32_t count, std::chrono::nanoseconds timeout, auto has_news) const {
        segment_.member(rank_).sleeper.sleep(count, timeout, has_news);
    }

  private:
    using clock = std::chrono::steady_clock;
    static constexpr std::int64_t joining = 0;  // the byte of the file that is locked while a rank joins
    static std::int64_t byte_of(rank_t rank) { return 1 + rank; }

    static clock::time_point deadline_after(std::chrono::nanoseconds timeout) {
        const auto now = clock::now();
        return timeout < clock::time_point::max() - now ? now + timeout : clock::time_point::max();
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
    join_error enter(detail::open_file& file, rank_t ranks, rank_t rank, const options& settings);
    void announce() const {
        ++segment_.joined_count();
        detail::futex_wait::wake(segment_.joined_count());
        file_.unlock(joining);
    }
    void wake(rank_t rank, rank_t cause) const {
        if (!polls()) segment_.wakers_of(rank).add(cause);
        segment_.member(rank).sleeper.wake();
    }
    /// After the state of a rank has changed.
    void wake_all(rank_t cause) const {
        for (rank_t r = 0; r < ranks_; ++r) wake(r, cause);
        detail::futex_wait::wake(segment_.joined_count());
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
                                                     std::chrono::nanoseconds timeout) {
    leave();
    settings = detail::with_defaults(settings, ranks);
    if (join_error failure = detail::check_membership(ranks, rank, settings)) return failure;
    const auto deadline = deadline_after(timeout);
    do {
        detail::open_file file;
        if (join_error failure = detail::open_private(name, file)) {
            if (failure.number == EAGAIN) continue;
            return failure;
        }
        if (join_error failure = lock_joining(file, deadline)) return failure;
        struct stat status{};
        if (::fstat(file.number(), &status) != 0) return {errno, "fstat"};
        if (status.st_nlink == 0) continue;  // the name was taken away before the lock was ours
        if (status.st_size != 0 && is_stale(file, ranks, settings)) {
            if (::shm_unlink(name) != 0 && errno != ENOENT) return {errno, "shm_unlink"};
            continue;
        }
        if (join_error failure = enter(file, ranks, rank, settings)) {
            if (status.st_size == 0) ::shm_unlink(name);
            return failure;
        }
        if (segment_.joined_count().load() + 1 == static_cast<std::uint32_t>(ranks)) ::shm_unlink(name);
        else name_ = name;
        announce();
        return {};
    } while (clock::now() < deadline);
    return {ETIMEDOUT, "another process takes the name away"};
}

inline process_group::join_error process_group::join(const anonymous_segment& memory, rank_t ranks, rank_t rank,
                                                     options settings, std::chrono::nanoseconds timeout) {
    leave();
    if (const join_error failure = memory.check()) return failure;
    settings = detail::with_defaults(settings, ranks);
    if (join_error failure = detail::check_membership(ranks, rank, settings)) return failure;
    detail::open_file file = memory.reopen();
    if (!file.is_open()) return {errno, "open"};
    if (join_error failure = lock_joining(file, deadline_after(timeout))) return failure;
    if (join_error failure = enter(file, ranks, rank, settings)) return failure;
    announce();
    if ((::fcntl(file_.number(), F_GET_SEALS) & F_SEAL_SHRINK) == 0) {
        leave();
        return {EPERM, "memory: got memory that may be truncated, expected sealed memory"};
    }
    return {};
}

/// Whether a segment is what an earlier group left: nobody is there, or one that was is not any more.
inline bool process_group::is_stale(const detail::open_file& file, rank_t ranks, const options& settings) const {
    if (!file.is_locked(byte_of(0), 0)) return true;
    detail::process_segment segment;
    if (segment.map(file, ranks, settings.ring_bytes)) return false;
    for (rank_t r = 0; r < ranks; ++r)
        if (segment.member(r).status.load() != detail::process_member::absent && !file.is_locked(byte_of(r)))
            return true;
    return false;
}

inline process_group::join_error process_group::enter(detail::open_file& file, rank_t ranks, rank_t rank,
                                                      const options& settings) {
    detail::process_segment segment;
    if (join_error failure = segment.map(file, ranks, settings.ring_bytes)) return failure;
    detail::process_member& member = segment.member(rank);
    if (member.status.load() != detail::process_member::absent) return {EEXIST, "rank: taken, now or before"};
    if (const int failure = file.lock(byte_of(rank))) return {failure, "lock"};
    if (::getrandom(&secret_, sizeof secret_, 0) != static_cast<ssize_t>(sizeof secret_)) return {errno, "getrandom"};
    member.pid = ::getpid();
    member.secret = secret_;
    member.secret_address = reinterpret_cast<std::uintptr_t>(&secret_);
    member.status.store(detail::process_member::present);
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
        const std::uint32_t count = segment_.joined_count().load();
        if (count == static_cast<std::uint32_t>(ranks_)) return {};
        find_dead();
        for (rank_t r = 0; r < ranks_; ++r) {
            if (state(r) <= detail::process_member::present) continue;
            if (segment_.joined_count().load() == count) return {EPIPE, "a rank has left or died"};
        }
        const auto remaining = timeout - (clock::now() - start);
        if (remaining <= remaining.zero()) return {ETIMEDOUT, "ranks are missing"};
        const std::chrono::nanoseconds slice = std::chrono::milliseconds(5);
        detail::futex_wait::wait(segment_.joined_count(), count, remaining < slice ? remaining : slice);
    }
}

inline void process_group::find_dead() {
    for (rank_t r = 0; r < ranks_; ++r) {
        std::uint32_t expected = detail::process_member::present;
        if (r == rank_ || state(r) != detail::process_member::present || file_.is_locked(byte_of(r))) continue;
        if (segment_.member(r).status.compare_exchange_strong(expected, detail::process_member::died)) wake_all(r);
    }
}

inline void process_group::leave() {
    if (rank_ < 0) return;
    segment_.member(rank_).status.store(detail::process_member::departed);
    wake_all(rank_);
    // No process can join any more. The name stays if it names another segment by now.
    if (!name_.empty() && !lock_joining(file_, clock::now() + std::chrono::seconds(1))) {
        struct stat status{};
        if (::fstat(file_.number(), &status) == 0 && status.st_nlink != 0) ::shm_unlink(name_.c_str());
    }
    file_ = detail::open_file();
    segment_ = detail::process_segment();
    name_.clear();
    rank_ = -1;
}

}}  // namespace collsched::COLLSCHED_ABI
