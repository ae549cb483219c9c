#pragma once

#include <cstdint>

#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/tree/planners/refined.hpp"
#include "collsched/tree/send_plan.hpp"

namespace collsched::planners {

namespace detail {

/// Branch and bound over sequences of sends. Every tree with orders of sends is one sequence in which sends start no earlier
/// than the one before: so whoever was ready before the last send started sends no more.
class exhaustive_search {
  public:
    static constexpr rank_t most_ranks = 8;

    /// Looks for what is complete before this plan.
    constexpr exhaustive_search(const plan_request& ask, const send_plan& known)
        : ranks_(ask.ranks()), best_(known.edges), least_(known.completion) {
        for (rank_t i = 0; i < ranks_; ++i)
            for (rank_t j = 0; j < ranks_; ++j) busy_[i][j] = ask.busy(i, j), whole_[i][j] = ask.whole(i, j);
        for (rank_t i = 0; i < ranks_; ++i) {
            shortest_busy_[i] = shortest_whole_[i] = INT64_MAX;
            for (rank_t j = 0; j < ranks_; ++j) {
                if (i == j) continue;
                lower(shortest_busy_[i], busy_[i][j]);
                lower(shortest_whole_[i], whole_[j][i]);
            }
        }
        has_[ask.root] = true;
        extend(0, 0, 0);
    }
    constexpr const owned_array<trees::tree_edge>& edges() const { return best_; }

  private:
    static constexpr void lower(picoseconds& value, picoseconds other) { value = other < value ? other : value; }
    static constexpr void raise(picoseconds& value, picoseconds other) { value = other > value ? other : value; }

    /// All ways to go on after `sent` sends, the last of which started at `start`; everybody so far is ready at `latest`.
    constexpr void extend(rank_t sent, picoseconds start, picoseconds latest) {
        if (latest >= least_) return;
        if (sent == ranks_ - 1) {
            least_ = latest;
            for (rank_t n = 0; n < sent; ++n) best_[n] = edges_[n];
            return;
        }
        if (by_paths(start) >= least_ || by_count(start, ranks_ - 1 - sent) >= least_) return;
        for (rank_t i = 0; i < ranks_; ++i) {
            if (!sends(i, start)) continue;
            const picoseconds now = ready_[i];
            for (rank_t j = 0; j < ranks_; ++j) {
                if (has_[j]) continue;
                edges_[sent] = {i, j};
                has_[j] = true;
                ready_[i] = now + busy_[i][j];
                ready_[j] = now + whole_[i][j];
                picoseconds last = latest;
                raise(last, ready_[j]);  // never before i is
                extend(sent + 1, now, last);
                has_[j] = false;
                ready_[i] = now;
            }
        }
    }
    constexpr bool sends(rank_t i, picoseconds start) const { return has_[i] && ready_[i] >= start; }

    /// No rank is ready before the shortest path to it, if nobody were ever busy with other sends.
    constexpr picoseconds by_paths(picoseconds start) const {
        picoseconds soonest[most_ranks] = {};
        bool done[most_ranks] = {};
        for (rank_t j = 0; j < ranks_; ++j) {
            soonest[j] = INT64_MAX;
            for (rank_t i = 0; i < ranks_; ++i)
                if (sends(i, start) && !has_[j]) lower(soonest[j], ready_[i] + whole_[i][j]);
        }
        while (true) {
            rank_t k = -1;
            for (rank_t j = 0; j < ranks_; ++j)
                if (!has_[j] && !done[j] && (k < 0 || soonest[j] < soonest[k])) k = j;
            done[k] = true;
            bool last = true;
            for (rank_t j = 0; j < ranks_; ++j) {
                if (has_[j] || done[j]) continue;
                last = false;
                lower(soonest[j], soonest[k] + whole_[k][j]);
            }
            if (last) return soonest[k];
        }
    }
    /// So many ranks are not reached sooner than if all who wait were the quickest to reach, and all of them the quickest to
    /// send again.
    constexpr picoseconds by_count(picoseconds start, rank_t waiting) const {
        struct {
            picoseconds free, busy;
        } senders[2 * most_ranks] = {};
        rank_t count = 0;
        picoseconds busy = INT64_MAX, whole = INT64_MAX;
        for (rank_t r = 0; r < ranks_; ++r) {
            if (sends(r, start)) senders[count++] = {ready_[r], shortest_busy_[r]};
            if (has_[r]) continue;
            lower(busy, shortest_busy_[r]);
            lower(whole, shortest_whole_[r]);
        }
        while (true) {
            rank_t first = 0;
            for (rank_t s = 1; s < count; ++s)
                if (senders[s].free < senders[first].free) first = s;
            const picoseconds reached = senders[first].free + whole;
            if (--waiting == 0) return reached;
            senders[first].free += senders[first].busy;
            senders[count++] = {reached, busy};
        }
    }

    rank_t ranks_;
    picoseconds busy_[most_ranks][most_ranks] = {}, whole_[most_ranks][most_ranks] = {};
    picoseconds shortest_busy_[most_ranks] = {}, shortest_whole_[most_ranks] = {};
    bool has_[most_ranks] = {};
    picoseconds ready_[most_ranks] = {};
    trees::tree_edge edges_[most_ranks] = {};
    owned_array<trees::tree_edge> best_;
    picoseconds least_;
};

}  // namespace detail

/// A tree that is soonest complete, for 8 ranks at most: the refined one, unless a search through all others finds better.
struct optimal {
    static constexpr const char* name = "optimal";
    static constexpr const char* source = "branch and bound, here";
    static constexpr const char* ranks = "at most 8";
    constexpr send_plan operator()(const plan_request& request) const {
        constexpr rank_t most = detail::exhaustive_search::most_ranks;
        if (error wrong = request.check()) return send_plan::refused(request, wrong);
        if (request.ranks() > most) return send_plan::refused(request, {"ranks", request.ranks(), "at most 8"});
        return send_plan_of(request, [&] { return detail::exhaustive_search(request, refined{}(request)).edges(); });
    }
    bool operator==(const optimal&) const = default;
};

}  // namespace collsched::planners
