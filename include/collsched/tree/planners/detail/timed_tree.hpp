#pragma once

#include <compare>
#include <cstdint>

#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/tree/tree_plan.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace planners { namespace detail {

/// Tree with ordered children and one rank per place; place 0 is the root. It can be cut, joined and timed. In a
/// many-to-one plan the parent receives from its first child last.
class timed_tree {
  public:
    /// Completion time, then the sum of all ready times.
    struct value {
        picoseconds completion{}, sum{};
        auto operator<=>(const value&) const = default;
    };

    /// The tree of a plan that has nothing wrong.
    constexpr timed_tree(const tree_plan::request& request, const tree_plan& plan)
        : request_(&request), many_to_one_(plan.many_to_one) {
        owned_array<rank_t> last(rank_.size()), place(rank_.size());
        for (rank_t v = 0; v < rank_.size(); ++v) parent_[v] = first_[v] = next_[v] = last[v] = -1;
        rank_[0] = plan.root;
        rank_t n = 0;
        const std::int64_t count = plan.edges.size();
        for (std::int64_t e = 0; e < count; ++e) {
            const auto [from, to] = plan.edges[many_to_one_ ? count - 1 - e : e];
            const rank_t above = place[from];
            place[to] = ++n;
            rank_[n] = to;
            join(n, above, last[above]);
            last[above] = n;
        }
        if (rank_.size() <= most_stored) store_costs();
    }

    constexpr rank_t places() const { return rank_.size(); }
    constexpr rank_t parent(rank_t v) const { return parent_[v]; }
    /// -1 where there is none.
    constexpr rank_t first_child(rank_t v) const { return first_[v]; }
    constexpr rank_t next_sibling(rank_t v) const { return next_[v]; }
    constexpr rank_t sibling_before(rank_t v) const {
        if (first_[parent_[v]] == v) return -1;
        rank_t u = first_[parent_[v]];
        while (next_[u] != v) u = next_[u];
        return u;
    }

    /// Inserts v with its subtree as the child of u after `before`; as the first child if before is -1.
    constexpr void join(rank_t v, rank_t u, rank_t before) {
        rank_t& link = before < 0 ? first_[u] : next_[before];
        parent_[v] = u;
        next_[v] = link;
        link = v;
    }
    constexpr void cut(rank_t v, rank_t before) { (before < 0 ? first_[parent_[v]] : next_[before]) = next_[v]; }
    constexpr void swap_ranks(rank_t u, rank_t v) {
        const rank_t r = rank_[u];
        rank_[u] = rank_[v];
        rank_[v] = r;
    }

    /// Returns the times of the tree and sets all clocks and the order. Stops when a rank is ready after `limit`.
    constexpr value measure(picoseconds limit = INT64_MAX) {
        return many_to_one_ ? measure_gather(limit) : measure_broadcast(limit);
    }
    /// Results of the last measure(): ready time of v, number of places reached, and these places, parents before
    /// children.
    constexpr picoseconds clock(rank_t v) const { return clock_[v]; }
    constexpr rank_t reached() const { return reached_; }
    constexpr rank_t nth(rank_t n) const { return order_[n]; }
    constexpr bool many_to_one() const { return many_to_one_; }
    /// Returns the child that v waited for last, many-to-one; -1 if none.
    constexpr rank_t decisive(rank_t v) const { return decisive_[v]; }

    constexpr owned_array<trees::tree_edge> edges() {
        measure();
        owned_array<trees::tree_edge> list(places() - 1);
        for (rank_t n = 1; n < places(); ++n)
            list[many_to_one_ ? places() - 1 - n : n - 1] = {rank_[parent_[order_[n]]], rank_[order_[n]]};
        return list;
    }

  private:
    constexpr value measure_broadcast(picoseconds limit) {
        value total;
        reached_ = 1;
        order_[0] = clock_[0] = 0;
        for (rank_t n = 0; n < reached_; ++n) {
            const rank_t v = order_[n], i = rank_[v];
            picoseconds time = clock_[v];
            for (rank_t c = first_[v]; c >= 0; c = next_[c]) {
                const auto [busy, duration] = costs(i, rank_[c]);
                clock_[c] = time + duration;
                time += busy;
                order_[reached_++] = c;
            }
            clock_[v] = time;
            if (time > limit) return {time, 0};
            if (time > total.completion) total.completion = time;
            if (__builtin_add_overflow(total.sum, time, &total.sum)) total.sum = INT64_MAX;
        }
        return total;
    }
    constexpr value measure_gather(picoseconds limit) {
        value total;
        reached_ = 1;
        order_[0] = clock_[0] = 0;
        for (rank_t n = 0; n < reached_; ++n) {
            decisive_[order_[n]] = -1;
            for (rank_t c = first_[order_[n]]; c >= 0; c = next_[c]) {
                clock_[c] = 0;
                order_[reached_++] = c;
            }
        }
        for (rank_t n = reached_ - 1; n > 0; --n) {
            const rank_t c = order_[n], v = parent_[c];
            const auto [busy, duration] = costs(rank_[c], rank_[v]);
            const picoseconds waited = clock_[c] + duration, worked = clock_[v] + request_->cost.overhead(rank_[v]);
            if (waited >= worked) decisive_[v] = c;
            clock_[v] = waited < worked ? worked : waited;
            clock_[c] += busy;
            if (clock_[v] > limit) return {clock_[v], 0};
            if (__builtin_add_overflow(total.sum, clock_[c], &total.sum)) total.sum = INT64_MAX;
        }
        total.completion = clock_[0];
        return total;
    }

    struct pair_costs {
        picoseconds busy, duration;
    };
    static constexpr rank_t most_stored = 1024;

    constexpr pair_costs costs(rank_t i, rank_t j) const {
        if (stored_.empty()) return {request_->busy(i, j), request_->duration(i, j)};
        return stored_[i * places() + j];
    }
    constexpr void store_costs() {
        owned_array<pair_costs> all(places() * places());
        for (rank_t i = 0; i < places(); ++i)
            for (rank_t j = 0; j < places(); ++j)
                all[i * places() + j] = {request_->busy(i, j), request_->duration(i, j)};
        stored_ = static_cast<owned_array<pair_costs>&&>(all);
    }

    const tree_plan::request* request_;
    bool many_to_one_;
    owned_array<rank_t> rank_{request_->ranks()}, parent_{rank_.size()}, first_{rank_.size()}, next_{rank_.size()};
    owned_array<picoseconds> clock_{rank_.size()};
    owned_array<rank_t> order_{rank_.size()}, decisive_{rank_.size()};
    rank_t reached_ = 0;
    owned_array<pair_costs> stored_;
};

}}}}  // namespace collsched::COLLSCHED_ABI::planners::detail
