#pragma once

#include <cstdint>

#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/core/detail/sort.hpp"
#include "collsched/cost/picoseconds.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace planners { namespace detail {

/// Rank with a cost. Ordered by cost, then rank.
struct priced_rank {
    picoseconds cost{};
    rank_t rank = -1;
    constexpr bool operator<(const priced_rank& other) const {
        return cost != other.cost ? cost < other.cost : rank < other.rank;
    }
    bool operator==(const priced_rank&) const = default;
};

/// Iterator over ranks by cost while ranks are removed; ties: the lowest rank.
///
/// Stores the first few ranks in order, and looks up the next few among the remaining ones when these are removed. A
/// look-up that finds less than a sixteenth fewer ranks than the one before doubles the number. O(n log n) costs in
/// total. Memory: O(capacity), with capacity = 16 at first and at most n / 4 if that is more.
class nearest {
  public:
    /// Returns the first rank for which is_removed(rank) is false; {0, -1} without one. visit(f) calls f(priced_rank)
    /// for all remaining ranks.
    /// @pre is_removed(rank) never becomes false again; costs are constant
    template <class Predicate, class Visit>
    constexpr priced_rank first(Predicate is_removed, Visit visit) {
        while (true) {
            while (next_ < kept_ && is_removed(rank_[next_].rank)) ++next_;
            if (next_ < kept_) return rank_[next_];
            if (kept_ == remaining_) return {};
            look_up(visit);
        }
    }

  private:
    template <class Visit>
    constexpr void look_up(Visit visit) {
        constexpr auto before = [](const priced_rank& a, const priced_rank& b) { return a < b; };
        if (rank_.size() < capacity_) rank_ = owned_array<priced_rank>(capacity_);
        const std::int64_t last = remaining_;
        remaining_ = kept_ = next_ = 0;
        visit([&](const priced_rank& found) {
            ++remaining_;
            if (kept_ < capacity_) {
                rank_[kept_++] = found;
                if (kept_ < capacity_) return;
                for (std::int64_t root = kept_ / 2; root-- > 0;)
                    collsched::detail::sift_down(rank_.begin(), root, kept_, before);
            } else if (found < rank_[0]) {
                rank_[0] = found;
                collsched::detail::sift_down(rank_.begin(), 0, kept_, before);
            }
        });
        collsched::detail::sort(rank_.begin(), kept_, before);
        if (16 * (last - remaining_) < last) capacity_ *= 2;
    }

    owned_array<priced_rank> rank_;
    std::int64_t next_ = 0, kept_ = 0;  ///< next_ .. kept_ - 1 are in order
    std::int64_t remaining_ = -1;       ///< at the last look-up; kept_ is as many where it found no more
    std::int64_t capacity_ = 16;
};

}}}}  // namespace collsched::COLLSCHED_ABI::planners::detail
