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
#include "collsched/execute/shared_memory/detail/ringers.hpp"
#include "collsched/execute/transport.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// State of one rank that the other ranks read.
class thread_seat {
  public:
    explicit thread_seat(rank_t ranks)
        : words_(new std::atomic<std::uint64_t>[ringers::words(ranks)] {}), ringers_(words_.get(), ranks) {}

    /// The ranks that have rung this one.
    const ringers& rung_by() const { return ringers_; }

    /// Wakes the rank if it sleeps, or makes it look again.
    void ring() {
        if ((bell_.fetch_add(2) & 1) == 0) return;
        { const std::lock_guard hold(lock_); }  // a rank that found nothing goes to sleep under the lock
        wakes_.notify_one();
    }
    /// Returns whether the rank sleeps, or is about to.
    bool sleeps() const { return (bell_.load() & 1) != 0; }
    /// Returns the number that every ring changes.
    std::uint32_t rings() const { return bell_.load() & ~std::uint32_t{1}; }
    /// Sleeps while the count is `seen`, unless has_news() returns true after others can see that the rank sleeps.
    void sleep(std::uint32_t seen, std::chrono::nanoseconds most, auto has_news) {
        std::unique_lock hold(lock_);
        const std::uint32_t asleep = seen | 1;
        if (!bell_.compare_exchange_strong(seen, asleep)) return;
        const auto rang = [&] { return bell_.load() != asleep; };
        if (!has_news()) {
            if (most > std::chrono::hours(1000)) wakes_.wait(hold, rang);  // a clock would overflow
            else wakes_.wait_for(hold, most, rang);
        }
        bell_.fetch_and(~std::uint32_t{1});
    }

  private:
    std::unique_ptr<std::atomic<std::uint64_t>[]> words_;
    ringers ringers_;
    alignas(128) std::atomic<std::uint32_t> bell_ = 0;  // counts in twos; the lowest bit: its rank sleeps
    alignas(128) std::mutex lock_;
    std::condition_variable wakes_;
};

/// The memory that the ranks of a thread_fabric share: a seat each, and a ring from each to each other, made when it is
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
        for (rank_t r = 0; r < ranks; ++r) seats_.emplace_back(ranks);
    }
    thread_memory(const thread_memory&) = delete;
    thread_memory& operator=(const thread_memory&) = delete;
    ~thread_memory() {
        for (rank_t i = 0; i < ranks_ * ranks_; ++i) free(rings_[static_cast<std::size_t>(i)]);
    }

    rank_t ranks() const { return ranks_; }
    bytes_t ring_bytes() const { return ring_bytes_; }
    bool is_crowded() const { return crowded_; }
    thread_seat& seat(rank_t rank) { return seats_[static_cast<std::size_t>(rank)]; }
    ring_memory ring(rank_t from, rank_t to) {
        std::atomic<thread_ring*>& place = rings_[static_cast<std::size_t>(from * ranks_ + to)];
        thread_ring* found = place.load(std::memory_order_acquire);
        if (found == nullptr) {
            thread_ring* const made = allocate();
            if (place.compare_exchange_strong(found, made)) found = made;
            else free(made);
        }
        return {&found->control, reinterpret_cast<std::byte*>(found + 1), static_cast<std::uint64_t>(ring_bytes_),
                key_};
    }

    /// Ends all waits, now and later.
    void close() {
        closed_ = true;
        for (thread_seat& seat : seats_) seat.ring();
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
    std::deque<thread_seat> seats_;
    std::unique_ptr<std::atomic<thread_ring*>[]> rings_;
    std::atomic<bool> closed_ = false;
};

/// The memory of a thread_fabric as one rank sees it: what its shared_memory_transport needs.
class thread_room {
  public:
    static constexpr bool one_process = true;

    thread_room(thread_memory& memory, rank_t rank) : memory_(&memory), rank_(rank) {}

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
    void ring(rank_t rank) const {
        thread_seat& seat = memory_->seat(rank);
        if (!polls()) seat.rung_by().add(rank_);
        seat.ring();
    }
    void notify(rank_t rank) const {
        if (!polls() || memory_->seat(rank).sleeps()) ring(rank);
    }
    void for_each_ringer(auto f) const {
        if (polls()) return for_each_other(f);
        memory_->seat(rank_).rung_by().take(f);
    }
    void for_each_other(auto f) const {
        for (rank_t r = 0; r < ranks(); ++r)
            if (r != rank_) f(r);
    }
    std::uint32_t rings() const { return memory_->seat(rank_).rings(); }
    void sleep(std::uint32_t seen, std::chrono::nanoseconds most, auto has_news) const {
        memory_->seat(rank_).sleep(seen, most, has_news);
    }

  private:
    thread_memory* memory_;
    rank_t rank_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
