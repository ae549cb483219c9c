#pragma once

#include <cstdint>
#include <utility>

#include "collsched/core/detail/heap.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/cost/picoseconds.hpp"
#include "collsched/tree/planned_tree.hpp"
#include "collsched/tree/planners/detail/nearest.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace planners { namespace detail {

/// Queue over all senders and waiting receivers that returns the pair with the smallest start(sender) + cost(sender,
/// receiver), the first in ascending (sender, receiver) on ties.
///
/// The order of receivers by cost is fixed for a sender, so each sender iterates over its nearest receivers, and a heap
/// contains the first choice of each sender. Starts only increase, so an old choice is a lower bound and is renewed at
/// the top of the heap. O(n^2 log n) for n senders; memory is n times that of `nearest`. Without look-ahead, and faster
/// than `offers`, which visits all receivers for each pair.
class first_pairs {
  public:
    /// To these of the ranks 0 .. n-1.
    constexpr first_pairs(rank_t n, owned_array<rank_t> receivers)
        : receiver_(std::move(receivers)), waiting_(receiver_.size()), removed_(n), prefers_(n) {}

    constexpr std::int64_t waiting() const { return waiting_; }

    /// Adds a sender, or updates one that starts earlier than before.
    template <class Cost>
    constexpr void add(rank_t sender, picoseconds start, Cost cost) {
        if (const priced_rank to = preferred(sender, cost); to.rank >= 0) choices_.push({start + to.cost, sender});
    }

    /// Returns the best pair.
    /// @pre there is a sender and a waiting receiver
    template <class Start, class Cost>
    constexpr trees::tree_edge best(Start start, Cost cost) {
        while (true) {
            const choice top = choices_.top();
            const priced_rank to = preferred(top.sender, cost);
            const choice renewed{start(top.sender) + to.cost, top.sender};
            if (renewed.time == top.time) return {renewed.sender, to.rank};
            choices_.replace_top(renewed);
        }
    }

    /// Removes the receivers for which is_removed(receiver) is true.
    template <class Predicate>
    constexpr void remove(Predicate is_removed) {
        std::int64_t kept = 0;
        for (std::int64_t n = 0; n < waiting_; ++n) {
            const rank_t r = receiver_[n];
            if (is_removed(r)) removed_[r] = true;
            else receiver_[kept++] = r;
        }
        waiting_ = kept;
    }

  private:
    struct choice {
        picoseconds time;
        rank_t sender;
        constexpr bool operator<(const choice& other) const {
            return time != other.time ? time < other.time : sender < other.sender;
        }
    };

    template <class Cost>
    constexpr priced_rank preferred(rank_t sender, Cost cost) {
        return prefers_[sender].first([this](rank_t r) { return removed_[r]; },
                                      [&](auto f) {
                                          for (std::int64_t n = 0; n < waiting_; ++n)
                                              f(priced_rank{cost(sender, receiver_[n]), receiver_[n]});
                                      });
    }

    owned_array<rank_t> receiver_;  ///< the first waiting_ of them wait
    std::int64_t waiting_ = 0;
    owned_array<bool> removed_;
    owned_array<nearest> prefers_;
    collsched::detail::heap<choice> choices_;
};

}}}}  // namespace collsched::COLLSCHED_ABI::planners::detail
