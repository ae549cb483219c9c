#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "collsched/core/rank.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// In groups of up to so many ranks, ranks look into their rings; in larger ones every record rings its reader.
inline constexpr rank_t most_polled = 8;

/// The ranks that have rung one rank since it last looked: a bit each, in words that all ranks can write.
class ringers {
  public:
    static constexpr std::size_t words(rank_t ranks) { return static_cast<std::size_t>(ranks + 63) / 64; }

    /// @param at  words(ranks) words, zero at first
    ringers(std::atomic<std::uint64_t>* at, rank_t ranks) : words_(at), ranks_(ranks) {}

    void add(rank_t rank) const { words_[rank / 64].fetch_or(std::uint64_t{1} << rank % 64); }
    /// Takes all out, and calls f for each that is a rank.
    void take(auto f) const {
        for (rank_t first = 0; first < ranks_; first += 64) {
            if (words_[first / 64].load() == 0) continue;
            for (std::uint64_t rang = words_[first / 64].exchange(0); rang != 0; rang &= rang - 1)
                if (const rank_t rank = first + std::countr_zero(rang); rank < ranks_) f(rank);
        }
    }

  private:
    std::atomic<std::uint64_t>* words_;
    rank_t ranks_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
