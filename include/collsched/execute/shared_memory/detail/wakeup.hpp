#pragma once

#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "collsched/core/rank.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// In groups of up to so many ranks, ranks look into their rings; in larger ones every record wakes its reader.
inline constexpr rank_t most_polled = 8;

/// The ranks that have woken one rank since it last looked: a bit each, in words that all ranks can write.
class waker_set {
  public:
    static constexpr std::size_t words(rank_t ranks) { return static_cast<std::size_t>(ranks + 63) / 64; }

    /// @param bits  words(ranks) words, zero at first
    waker_set(std::atomic<std::uint64_t>* bits, rank_t ranks) : words_(bits), ranks_(ranks) {}

    void add(rank_t rank) const { words_[rank / 64].fetch_or(std::uint64_t{1} << rank % 64); }
    /// Removes all, and calls f for each that is a rank.
    void take(auto f) const {
        for (rank_t first = 0; first < ranks_; first += 64) {
            if (words_[first / 64].load() == 0) continue;
            for (std::uint64_t bits = words_[first / 64].exchange(0); bits != 0; bits &= bits - 1)
                if (const rank_t rank = first + std::countr_zero(bits); rank < ranks_) f(rank);
        }
    }

  private:
    std::atomic<std::uint64_t>* words_;
    rank_t ranks_;
};

/// Lets a rank sleep until another one wakes it. Wait blocks a thread or a process:
///
///     wait(word, value, timeout)  returns when the word has another value, or after the timeout
///     wake(word)                  ends the waits for the word, whose value has changed
template <class Wait>
class wakeup {
  public:
    /// Wakes the rank if it sleeps, or makes it look again.
    void wake() {
        if ((count_.fetch_add(2) & 1) == 0) return;
        count_.fetch_and(~std::uint32_t{1});
        wait_.wake(count_);
    }
    /// Returns whether the rank sleeps, or is about to.
    bool is_sleeping() const { return (count_.load() & 1) != 0; }
    /// Returns the number that every call of wake() changes. It is even.
    std::uint32_t count() const { return count_.load() & ~std::uint32_t{1}; }
    /// Sleeps while the count is `count`, unless has_news() returns true after others can see that the rank sleeps.
    void sleep(std::uint32_t count, std::chrono::nanoseconds timeout, auto has_news) {
        if (!count_.compare_exchange_strong(count, count | 1)) return;
        if (!has_news()) wait_.wait(count_, count | 1, timeout);
        count_.fetch_and(~std::uint32_t{1});
    }

  private:
    std::atomic<std::uint32_t> count_ = 0;  // counts in twos; the lowest bit: the rank sleeps
    [[no_unique_address]] Wait wait_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
