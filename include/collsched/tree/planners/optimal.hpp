#pragma once

#include <cstdint>

#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/core/detail/sort.hpp"
#include "collsched/tree/tree_plan.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace planners {

namespace detail {

/// Exact search by sets of ranks. best(v, S) is the time after which v has served all of S, v included, or received
/// from it. Broadcast: v first sends to some c, which serves a part T of S; then v serves the rest: the minimum of
/// max(C(v,c) + best(c, T), busy(v,c) + best(v, S - T)). Gather: v last receives what c collected of T: the minimum of
/// max(best(v, S - T) + o(v), best(c, T) + C(c,v)). This is exact, since the time of a part does not depend on its
/// start. O(3^p p^2) time, O(2^p p) memory.
class best_by_sets {
  public:
    static constexpr rank_t most_ranks = 8;

    constexpr best_by_sets(const tree_plan::request& request, bool many_to_one)
        : request_(request), ranks_(request.ranks()), many_to_one_(many_to_one) {
        for (rank_t i = 0; i < ranks_; ++i)
            for (rank_t j = 0; j < ranks_; ++j) {
                if (i == j) continue;
                server_cost_[i][j] = many_to_one_ ? request.cost.overhead(i) : request.busy(i, j);
                client_cost_[i][j] = many_to_one_ ? request.duration(j, i) : request.duration(i, j);
            }
        for (unsigned set = 1; set < 1U << ranks_; ++set) {
            const bool has_root = (set & only(request.root)) != 0;  // none but the root serves sets with the root
            for (rank_t v = 0; v < ranks_; ++v)
                if ((has_root ? v == request.root : (set & only(v)) != 0) && set != only(v)) find(v, set);
        }
    }

    /// Returns the edges in order of their times.
    constexpr owned_array<trees::tree_edge> edges() {
        dated_edge found[most_ranks] = {};
        std::int64_t n = 0;
        collect(request_.root, (1U << ranks_) - 1, 0, found, n);
        collsched::detail::sort(found, n, [](const dated_edge& a, const dated_edge& b) {
            return a.time != b.time ? a.time < b.time : a.place < b.place;
        });
        owned_array<trees::tree_edge> list(n);
        for (std::int64_t k = 0; k < n; ++k) list[k] = found[k].edge;
        return list;
    }

  private:
    struct part {
        picoseconds time{};  ///< of the whole set
        rank_t head{};       ///< its first receiver, or its last sender
        unsigned set = 0;    ///< ranks that head serves
    };
    struct dated_edge {
        picoseconds time{};  ///< when its parent sends, or has taken in
        std::int64_t place{};
        trees::tree_edge edge{};
    };

    static constexpr unsigned only(rank_t v) { return 1U << v; }

    constexpr void find(rank_t v, unsigned set) {
        part best{INT64_MAX, 0, 0};
        const unsigned candidates = set & ~only(v);
        for (unsigned subset = candidates; subset != 0; subset = (subset - 1) & candidates)
            for (rank_t c = 0; c < ranks_; ++c) {
                if ((subset >> c & 1U) == 0) continue;
                const picoseconds server_time = best_[v][set & ~subset].time + server_cost_[v][c];
                const picoseconds client_time = best_[c][subset].time + client_cost_[v][c];
                if (const picoseconds time = server_time < client_time ? client_time : server_time; time < best.time)
                    best = {time, c, subset};
            }
        best_[v][set] = best;
    }

    constexpr void collect(rank_t v, unsigned set, picoseconds start, dated_edge* found, std::int64_t& n) const {
        for (; set != only(v); set &= ~best_[v][set].set) {
            const part& solution = best_[v][set];
            found[n] = {many_to_one_ ? solution.time : start, many_to_one_ ? -n : n, {v, solution.head}};
            ++n;
            collect(solution.head, solution.set, start + request_.duration(v, solution.head), found, n);
            start += request_.busy(v, solution.head);
        }
    }

    const tree_plan::request& request_;
    rank_t ranks_;
    bool many_to_one_;
    picoseconds server_cost_[most_ranks][most_ranks] = {},
                client_cost_[most_ranks][most_ranks] = {};  ///< of v and its c
    part best_[most_ranks][1U << most_ranks] = {};
};

}  // namespace detail

/// Planner of the tree with the smallest completion time for at most 8 ranks, one-to-many and many-to-one. O(3^p p^2)
/// time, O(2^p p) memory.
struct optimal {
    static constexpr const char* name = "optimal";
    static constexpr const char* source = "exact search over sets of ranks, here";
    static constexpr const char* ranks = "at most 8";

    constexpr tree_plan operator()(const tree_plan::request& request) const { return best(request, false); }
    constexpr tree_plan back(const tree_plan::request& request) const { return best(request, true); }
    bool operator==(const optimal&) const = default;

  private:
    static constexpr tree_plan best(const tree_plan::request& request, bool many_to_one) {
        constexpr rank_t limit = detail::best_by_sets::most_ranks;
        if (argument_error error = request.check()) return tree_plan::refused(request, error, many_to_one);
        if (request.ranks() > limit)
            return tree_plan::refused(request, {"ranks", request.ranks(), "at most 8"}, many_to_one);
        return tree_plan_of(request, [&] { return detail::best_by_sets(request, many_to_one).edges(); }, many_to_one);
    }
};

}}}  // namespace collsched::COLLSCHED_ABI::planners
