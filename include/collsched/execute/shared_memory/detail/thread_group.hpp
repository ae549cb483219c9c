#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <new>
#include <thread>

#include "collsched/core/detail/splitmix64.hpp"
#include "collsched/execute/shared_memory/detail/ring.hpp"
#include "collsched/execute/shared_memory/detail/wakeup.hpp"
#include "collsched/execute/transport.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Blocks and wakes threads.
class alignas(128) condition_wait {
  public:
    void wake(const std::atomic<std::uint32_t>&) {
        { const std::lock_guard lock(mutex_); }  // a waiting thread compares the word under the lock
        changed_.notify_one();
    }
    void wait(const std::atomic<std::uint32_t>& word, std::uint32_t value, std::chrono::nanoseconds timeout) {
        std::unique_lock lock(mutex_);
        const auto has_changed = [&] { return word.load() != value; };
        if (timeout > std::chrono::hours(1000)) changed_.wait(lock, has_changed);  // a clock would overflow
        else changed_.wait_for(lock, timeout, has_changed);
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
};

/// State of one rank that the other ranks read.
struct thread_member {
    explicit thread_member(rank_t ranks)
        : bits(new std::atomic<std::uint64_t>[waker_set::words(ranks)] {}), wakers(bits.get(), ranks) {}

    std::unique_ptr<std::atomic<std::uint64_t>[]> bits;
    waker_set wakers;
    alignas(128) wakeup<condition_wait> sleeper;
};

/// The memory that the ranks of a thread_fabric share: the state of each, and a ring from each to each other, made when it is
/// first used.
class thread_memory {
  public:
    explicit thread_memory(rank_t ranks)
        : ranks_(ranks),
          ring_bytes_(ranks <= most_polled ? 32768 : 4096),
          crowded_(ranks > static_cast<rank_t>(std::thread::hardware_concurrency())),
          rings_(new std::atomic<thread_ring*>[static_cast<std::size_t>(ranks * ranks)] {}) {
        splitmix64 random(reinterpret_cast<std::uintptr_t>(this) ^
                          static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()));
        key_ = random() | 1;
        for (rank_t r = 0; r < ranks; ++r) members_.emplace_back(ranks);
    }
    thread_memory(const thread_memory&) = delete;
    thread_memory& operator=(const thread_memory&) = delete;
    ~thread_memory() {
        for (rank_t i = 0; i < ranks_ * ranks_; ++i) free(rings_[static_cast<std::size_t>(i)]);
    }

    rank_t ranks() const { return ranks_; }
    bytes_t ring_bytes() const { return ring_bytes_; }
    bool is_crowded() const { return crowded_; }
    thread_member& member(rank_t rank) { return members_[static_cast<std::size_t>(rank)]; }
    ring_memory ring(rank_t from, rank_t to) {
        std::atomic<thread_ring*>& slot = rings_[static_cast<std::size_t>(from * ranks_ + to)];
        thread_ring* ring = slot.load(std::memory_order_acquire);
        if (ring == nullptr) {
            thread_ring* const created = allocate();
            if (slot.compare_exchange_strong(ring, created)) ring = created;
            else free(created);
        }
        return {&ring->control, reinterpret_cast<std::byte*>(ring + 1), static_cast<std::uint64_t>(ring_bytes_), key_};
    }

    /// Ends all waits, now and later.
    void close() {
        closed_ = true;
        for (thread_member& member : members_) member.sleeper.wake();
    }
    bool is_closed() const { return closed_; }

  private:
    struct thread_ring {
        ring_control control{};
    };
    static constexpr std::align_val_t alignment{alignof(thread_ring)};

    thread_ring* allocate() const {
        const std::size_t bytes = sizeof(thread_ring) + static_cast<std::size_t>(ring_bytes_);
        void* const at = ::operator new(bytes, alignment);
        std::memset(at, 0, bytes);
        return new (at) thread_ring;
    }
    static void free(thread_ring* ring) { ::operator delete(static_cast<void*>(ring), alignment); }

    rank_t ranks_;
    bytes_t ring_bytes_;
    bool crowded_;
    std::uint64_t key_;
    std::deque<thread_member> members_;
    std::unique_ptr<std::atomic<thread_ring*>[]> rings_;
    std::atomic<bool> closed_ = false;
};

/// The memory of a thread_fabric as one rank sees it: what its shared_memory_transport needs.
class thread_group {
  public:
    static constexpr bool one_process = true;

    thread_group(thread_memory& memory, rank_t rank) : memory_(&memory), rank_(rank) {}

    rank_t ranks() const { return memory_->ranks(); }
    rank_t rank() const { return rank_; }
    bytes_t ring_bytes() const { return memory_->ring_bytes(); }
    bytes_t single_copy_from() const { return 0; }
    bool is_crowded() const { return memory_->is_crowded(); }
    bool is_closed() const { return memory_->is_closed(); }
    ring_memory memory(rank_t from, rank_t to) const { return memory_->ring(from, to); }
    int loss_of(rank_t) const { return 0; }
    void find_dead() const {}

    bool polls() const { return ranks() <= most_polled; }
    void wake(rank_t rank) const {
        thread_member& member = memory_->member(rank);
        if (!polls()) member.wakers.add(rank_);
        member.sleeper.wake();
    }
    void notify(rank_t rank) const {
        if (!polls() || memory_->member(rank).sleeper.is_sleeping()) wake(rank);
    }
    void for_each_waker(auto f) const {
        if (polls()) return for_each_other(f);
        memory_->member(rank_).wakers.take(f);
    }
    void for_each_other(auto f) const {
        for (rank_t r = 0; r < ranks(); ++r)
            if (r != rank_) f(r);
    }
    std::uint32_t wakeups() const { return memory_->member(rank_).sleeper.count(); }
    void sleep(std::uint32_t count, std::chrono::nanoseconds timeout, auto has_news) const {
        memory_->member(rank_).sleeper.sleep(count, timeout, has_news);
    }

  private:
    thread_memory* memory_;
    rank_t rank_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
