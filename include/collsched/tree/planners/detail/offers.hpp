#pragma once

#include <compare>
#include <cstdint>
#include <utility>

#include "collsched/core/detail/heap.hpp"
#include "collsched/core/detail/sort.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/cost/concepts.hpp"
#include "collsched/tree/planned_tree.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace planners { namespace detail {

/// Rank with a cost. Ordered by cost, then rank.
struct priced_rank {
    picoseconds cost{};
    rank_t rank = -1;
    auto operator<=>(const priced_rank&) const = default;
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
            choices_.take();
            choices_.push(renewed);
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
        auto operator<=>(const choice&) const = default;
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

/// Queue over all senders and waiting receivers that returns the pair with the smallest start(sender) + cost(sender,
/// receiver) + ahead(receiver), the first in ascending (sender, receiver) on ties.
///
/// Each receiver stores its first few offers, the best one and a heap of the others, and the first dropped offer.
/// Starts only increase, so an old offer is a lower bound and is renewed when it is the first. When no stored offer
/// precedes the dropped one, all senders are compared again; if fewer renewals than a sixteenth of the senders
/// preceded, the number of stored offers doubles. Each change of a start renews at most one offer per receiver: O(n^2
/// log n) for n senders. Memory: O(n capacity), with capacity = 8 at first and at most n / 8 if that is more. If
/// starts never change: O(n^2) time, O(n) memory.
class offers {
  public:
    /// To these ranks, ascending. Where starts never change, receivers keep their first offer only.
    constexpr explicit offers(owned_array<rank_t> receivers, bool starts_change = true)
        : receiver_(std::move(receivers)),
          later_(starts_change ? receiver_.size() : 0),
          sender_(starts_change ? receiver_.size() + 1 : 0) {
        for (std::int64_t i = 0; i < waiting_; ++i) place_[i] = i;
    }

    constexpr std::int64_t waiting() const { return waiting_; }
    /// Calls f(receiver) for all waiting receivers in ascending order.
    constexpr void for_each(auto f) const {
        for (std::int64_t n = 0; n < waiting_; ++n) f(receiver_[place_[n]]);
    }

    /// Adds a sender; at most one more than receivers.
    template <class Cost>
    constexpr void add(rank_t sender, picoseconds start, Cost cost) {
        if (!sender_.empty()) sender_[senders_++] = sender;
        for (std::int64_t n = 0; n < waiting_; ++n) {
            const picoseconds duration = cost(sender, receiver_[place_[n]]);
            insert({start + duration, duration, sender}, place_[n]);
        }
    }

    /// Returns the best pair. Calls cost(sender, receiver) for all senders and one receiver at a time.
    /// @pre there is a sender and a waiting receiver
    template <class Start, class Cost, class Ahead>
    constexpr trees::tree_edge best(Start start, Cost cost, Ahead ahead) {
        trees::tree_edge chosen;
        offer best_offer;
        for (std::int64_t n = 0; n < waiting_; ++n) {
            const rank_t receiver = receiver_[place_[n]];
            const picoseconds look_ahead = ahead(receiver);
            for (offer& first = first_[place_[n]]; offer{first.time + look_ahead, 0, first.sender} < best_offer;) {
                const picoseconds time = start(first.sender) + first.cost;
                if (time == first.time) {
                    best_offer = {time + look_ahead, 0, first.sender};
                    chosen = {first.sender, receiver};
                } else {
                    renew(place_[n], time);
                    if (!(first < later_[place_[n]].dropped)) compare_all(place_[n], start, cost);
                }
            }
        }
        return chosen;
    }

    /// Removes the receivers for which is_removed(receiver) is true.
    template <class Predicate>
    constexpr void remove(Predicate is_removed) {
        std::int64_t kept = 0;
        for (std::int64_t n = 0; n < waiting_; ++n) {
            if (is_removed(receiver_[place_[n]])) drop(place_[n]);
            else place_[kept++] = place_[n];
        }
        waiting_ = kept;
    }

  private:
    struct offer {
        picoseconds time = INT64_MAX, cost = -1;
        rank_t sender = -1;
        constexpr bool operator<(const offer& other) const {
            return time != other.time ? time < other.time : sender < other.sender;
        }
    };

    /// Offers of a receiver after its first one, up to the first dropped offer.
    struct later_offers {
        collsched::detail::heap<offer> kept;
        offer dropped;
        std::int64_t capacity = 8, renewals = 0;
    };

    constexpr void drop(std::int64_t place) {
        if (!later_.empty()) later_[place] = {};
    }
    constexpr void insert(offer candidate, std::int64_t place) {
        offer& first = first_[place];
        if (candidate < first) std::swap(candidate, first);  // the initial offer is discarded
        if (!later_.empty() && candidate < later_[place].dropped) keep(candidate, later_[place]);
    }
    /// When there are twice the capacity, the best remain.
    static constexpr void keep(const offer& candidate, later_offers& later) {
        later.kept.push(candidate);
        if (later.kept.size() < 2 * later.capacity) return;
        owned_array<offer> best(later.capacity);
        for (offer& next : best) next = later.kept.take();
        later.dropped = later.kept.top();
        later.kept = collsched::detail::heap<offer>(std::move(best));
    }
    constexpr void renew(std::int64_t place, picoseconds time) {
        offer& first = first_[place];
        later_offers& later = later_[place];
        ++later.renewals;
        first.time = time;
        if (later.kept.empty() || !(later.kept.top() < first)) return;
        const offer renewed = first;
        first = later.kept.take();
        if (renewed < later.dropped) later.kept.push(renewed);
    }
    template <class Start, class Cost>
    constexpr void compare_all(std::int64_t place, Start start, Cost cost) {
        later_offers& later = later_[place];
        if (16 * later.renewals < senders_) later.capacity *= 2;
        later.renewals = 0;
        later.dropped = first_[place] = {};
        for (std::int64_t n = 0; n < senders_; ++n) {
            const picoseconds duration = cost(sender_[n], receiver_[place]);
            insert({start(sender_[n]) + duration, duration, sender_[n]}, place);
        }
    }

    owned_array<rank_t> receiver_;
    owned_array<std::int64_t> place_{receiver_.size()};  ///< of the receivers that wait, ascending
    owned_array<offer> first_{receiver_.size()};
    owned_array<later_offers> later_;  ///< this and sender_ are empty where starts never change
    owned_array<rank_t> sender_;       ///< senders_ of them
    std::int64_t senders_ = 0, waiting_ = receiver_.size();
};

}}}}  // namespace collsched::COLLSCHED_ABI::planners::detail
