#pragma once

#include <cstdint>
#include <utility>

#include "collsched/core/heap.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/cost/loggp.hpp"
#include "collsched/tree/planned_tree.hpp"

namespace collsched::planners {

/// Of all senders and all ranks that wait: the pair with the smallest start(sender) + cost(sender, receiver) +
/// ahead(receiver), and of several the first in ascending (sender, receiver).
///
/// Each receiver keeps the offers of all senders, the first one and a heap of the others. An offer is as it was when last
/// looked at; starts only get later, so an old offer is a lower bound, and is renewed when it is the first. Each change of a
/// start renews an offer a receiver at most once: n senders cost O(n^2 log n), whatever the costs, and O(n^2) memory; O(n^2)
/// and O(n) where starts never change.
class offers {
  public:
    /// To these ranks, ascending. Where starts never change, receivers keep their first offer only.
    constexpr explicit offers(owned_array<rank_t> receivers, bool starts_change = true)
        : receiver_(std::move(receivers)),
          place_(receiver_.size()),
          first_(receiver_.size()),
          others_(receiver_.size()),
          waiting_(receiver_.size()),
          starts_change_(starts_change) {
        for (std::int64_t i = 0; i < waiting_; ++i) place_[i] = i;
    }

    constexpr std::int64_t waiting() const { return waiting_; }
    /// f(receiver) for all that wait, ascending.
    template <class F>
    constexpr void for_each(F f) const {
        for (std::int64_t n = 0; n < waiting_; ++n) f(receiver_[place_[n]]);
    }

    template <class Cost>
    constexpr void add(rank_t sender, picoseconds start, Cost cost) {
        for (std::int64_t n = 0; n < waiting_; ++n) {
            const picoseconds takes = cost(sender, receiver_[place_[n]]);
            const offer made{start + takes, takes, sender};
            offer& first = first_[place_[n]];
            if (starts_change_ && first.cost >= 0) others_[place_[n]].push(made < first ? first : made);
            if (made < first) first = made;
        }
    }

    /// The best pair; there is a sender, and somebody waits.
    template <class Start, class Ahead>
    constexpr trees::tree_edge best(Start start, Ahead ahead) {
        trees::tree_edge chosen;
        offer least;
        for (std::int64_t n = 0; n < waiting_; ++n) {
            const rank_t receiver = receiver_[place_[n]];
            const picoseconds more = ahead(receiver);
            for (offer& first = first_[place_[n]]; offer{first.time + more, 0, first.sender} < least;) {
                const picoseconds now = start(first.sender) + first.cost;
                if (now == first.time) {
                    least = {now + more, 0, first.sender};
                    chosen = {first.sender, receiver};
                } else {
                    renew(first, now, others_[place_[n]]);
                }
            }
        }
        return chosen;
    }

    /// Those of whom gone(receiver) holds wait no longer.
    template <class Gone>
    constexpr void remove(Gone gone) {
        std::int64_t left = 0;
        for (std::int64_t n = 0; n < waiting_; ++n) {
            if (gone(receiver_[place_[n]])) others_[place_[n]] = {};
            else place_[left++] = place_[n];
        }
        waiting_ = left;
    }

  private:
    struct offer {
        picoseconds time = INT64_MAX, cost = -1;
        rank_t sender = -1;
        constexpr bool operator<(const offer& other) const {
            return time != other.time ? time < other.time : sender < other.sender;
        }
    };

    static constexpr void renew(offer& first, picoseconds now, heap<offer>& others) {
        first.time = now;
        if (others.empty() || !(others.top() < first)) return;
        const offer later = first;
        first = others.top();
        others.replace_top(later);
    }

    owned_array<rank_t> receiver_;
    owned_array<std::int64_t> place_;  ///< of the receivers that wait, ascending
    owned_array<offer> first_;
    owned_array<heap<offer>> others_;
    std::int64_t waiting_ = 0;
    bool starts_change_ = true;
};

}  // namespace collsched::planners
