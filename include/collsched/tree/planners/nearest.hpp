#pragma once

#include <cstdint>
#include <utility>

#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/core/sort.hpp"
#include "collsched/cost/loggp.hpp"

namespace collsched::planners {

/// A rank, and what it costs.
struct priced_rank {
    picoseconds cost = 0;
    rank_t rank = -1;
    constexpr bool operator<(const priced_rank& other) const {
        return cost != other.cost ? cost < other.cost : rank < other.rank;
    }
    bool operator==(const priced_rank&) const = default;
};

/// The cheapest of n ranks, while ranks go; of several the lowest. O(n log n) until all have gone.
///
/// The first few are kept in order. When they have gone, the next few of those that are left are looked up in one pass over
/// all, which also drops what has gone meanwhile: a pass that drops a sixteenth pays for itself, and after each that does
/// not the few are twice as many.
class nearest {
  public:
    constexpr nearest() = default;
    constexpr explicit nearest(owned_array<priced_rank> ranks) : rank_(std::move(ranks)), size_(rank_.size()) {}

    /// The first that is not gone(rank), which holds for ever once it holds; {0, -1} if there is none.
    template <class Gone>
    constexpr priced_rank first(Gone gone) {
        while (true) {
            while (next_ < ordered_ && gone(rank_[next_].rank)) ++next_;
            if (next_ < ordered_) return rank_[next_];
            if (next_ == size_) return {};
            drop(gone);
            order();
        }
    }

  private:
    template <class Gone>
    constexpr void drop(Gone gone) {
        std::int64_t left = 0;
        for (std::int64_t i = next_; i < size_; ++i)
            if (!gone(rank_[i].rank)) rank_[left++] = rank_[i];
        if (16 * (size_ - left) < size_) few_ *= 2;
        size_ = left;
        next_ = 0;
    }
    constexpr void order() {
        constexpr auto before = [](const priced_rank& a, const priced_rank& b) { return a < b; };
        ordered_ = few_ < size_ ? few_ : size_;
        for (std::int64_t root = ordered_ / 2; root-- > 0;) detail::sift_down(rank_.begin(), root, ordered_, before);
        for (std::int64_t i = ordered_; i < size_; ++i)
            if (rank_[i] < rank_[0]) {
                std::swap(rank_[i], rank_[0]);
                detail::sift_down(rank_.begin(), 0, ordered_, before);
            }
        sort(rank_.begin(), ordered_, before);
    }

    owned_array<priced_rank> rank_;
    std::int64_t next_ = 0, ordered_ = 0,
                 size_ = 0;  ///< next_ .. ordered_ - 1 are in order, and before the rest up to size_
    std::int64_t few_ = 8;
};

}  // namespace collsched::planners
