#pragma once

#include <cstdint>
#include <utility>

#include "collsched/core/detail/sort.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/tree/binomial.hpp"
#include "collsched/tree/planners/detail/offers.hpp"
#include "collsched/tree/tree_plan.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace planners {

namespace detail {

using edge_list = owned_array<trees::tree_edge>;
using tree_request = tree_plan::request;

/// Base of planners for any subset of ranks. Self defines
///
///   group_edges(request, ranks, head)   returns the edges in order of choice; ranks are ascending, head is the root
template <class Self>
struct group_planner {
    constexpr tree_plan operator()(const tree_request& request) const {
        return tree_plan_of(request, [&request] {
            owned_array<rank_t> ranks(request.ranks());
            for (rank_t r = 0; r < ranks.size(); ++r) ranks[r] = r;
            return Self::group_edges(request, ranks, request.root);
        });
    }
    bool operator==(const group_planner&) const = default;
};

}  // namespace detail

/// Planner in which the root sends to all other ranks in ascending order. O(p).
struct flat_tree : detail::group_planner<flat_tree> {
    static constexpr const char* name = "ft";
    static constexpr const char* source = "folklore";

    static constexpr detail::edge_list group_edges(const detail::tree_request&, const owned_array<rank_t>& ranks,
                                                   rank_t head) {
        detail::edge_list edges(ranks.size() - 1);
        std::int64_t n = 0;
        for (const rank_t r : ranks)
            if (r != head) edges[n++] = {head, r};
        return edges;
    }
};

/// Planner of the binomial tree with halving distances over ranks counted cyclically from the root; edges step by step,
/// within a step in ascending positions of the senders. O(p log p).
struct binomial : detail::group_planner<binomial> {
    static constexpr const char* name = "bt";
    static constexpr const char* source = "folklore";

    static constexpr detail::edge_list group_edges(const detail::tree_request&, const owned_array<rank_t>& ranks,
                                                   rank_t head) {
        const trees::binomial tree;
        const rank_t p = ranks.size();
        rank_t first = 0;
        while (ranks[first] != head) ++first;
        detail::edge_list edges(p - 1);
        std::int64_t n = 0;
        for (step_t k = 0; k < tree.steps(p); ++k)
            for (rank_t v = 0; v < p; ++v)
                if (const rank_t to = tree.child(p, v, k); to >= 0)
                    edges[n++] = {ranks[wrap(first + v, p)], ranks[wrap(first + to, p)]};
        return edges;
    }
};

namespace detail {

/// Costs for choosing an edge: of the model; without overheads, where a message occupies both ends until arrival
/// (blind_costs); of the latency only (latency_costs).
struct true_costs {
    static constexpr picoseconds busy(const tree_request& plan, rank_t i, rank_t j) { return plan.busy(i, j); }
    static constexpr picoseconds duration(const tree_request& plan, rank_t i, rank_t j) { return plan.duration(i, j); }
};
struct blind_costs {
    static constexpr picoseconds duration(const tree_request& request, rank_t i, rank_t j) {
        return request.cost.stream(i, j, request.bytes) + request.cost.latency(i, j);
    }
    static constexpr picoseconds busy(const tree_request& plan, rank_t i, rank_t j) { return duration(plan, i, j); }
};
struct latency_costs {
    static constexpr picoseconds duration(const tree_request& plan, rank_t i, rank_t j) {
        return plan.cost.latency(i, j);
    }
    static constexpr picoseconds busy(const tree_request&, rank_t, rank_t) { return 0; }
};

/// Look-ahead of receiver j over the other waiting ranks k: 0; the smallest cost from j to a k (look_at_nearest); their
/// mean rounded down (look_at_mean). 0 without such k.
template <class Costs>
struct no_look {
    constexpr no_look(const tree_request&, const offers&) {}
    constexpr picoseconds ahead(rank_t) const { return 0; }
    constexpr void served(const offers&, rank_t) {}
};
template <class Costs>
class look_at_nearest {
  public:
    constexpr look_at_nearest(const tree_request& request, const offers& open)
        : request_(&request), nearest_(request.ranks()), ahead_(request.ranks()), removed_(request.ranks()) {
        served(open, -1);
    }
    constexpr picoseconds ahead(rank_t j) const { return ahead_[j].cost; }
    constexpr void served(const offers& open, rank_t receiver) {
        if (receiver >= 0) removed_[receiver] = true;
        open.for_each([&](rank_t j) {
            if (ahead_[j].rank != receiver) return;
            const auto each_other = [&](auto f) {
                open.for_each([&](rank_t k) {
                    if (k != j) f(priced_rank{Costs::duration(*request_, j, k), k});
                });
            };
            ahead_[j] = nearest_[j].first([&](rank_t k) { return removed_[k]; }, each_other);
        });
    }

  private:
    const tree_plan::request* request_;
    owned_array<nearest> nearest_;
    owned_array<priced_rank> ahead_;
    owned_array<bool> removed_;
};
template <class Costs>
class look_at_mean {
  public:
    constexpr look_at_mean(const tree_request& request, const offers& open)
        : mirrored_(request.mirrored()), waiting_(open.waiting() - 1), sum_(request.ranks()) {
        open.for_each([&](rank_t j) {
            open.for_each([&](rank_t k) { sum_[j] += k == j ? 0 : Costs::duration(request, j, k); });
        });
    }
    constexpr picoseconds ahead(rank_t j) const { return waiting_ > 0 ? sum_[j] / waiting_ : 0; }
    constexpr void served(const offers& open, rank_t receiver) {
        open.for_each([&](rank_t j) { sum_[j] -= Costs::duration(mirrored_, receiver, j); });
        --waiting_;
    }

  private:
    tree_request mirrored_;
    std::int64_t waiting_;
    owned_array<picoseconds> sum_;
};

/// Chooses the pair with the smallest start + cost + look-ahead, the first one on ties. Timed: a rank starts when it is
/// ready; else at time 0.
template <class Costs, bool Timed = true, template <class> class Look = no_look>
class first_pair {
  public:
    using costs = Costs;
    constexpr first_pair(const tree_request& request, owned_array<rank_t> receivers)
        : request_(&request),
          mirrored_(request.mirrored()),
          open_(std::move(receivers), Timed),
          look_(request, open_) {}
    constexpr void add(rank_t sender, const owned_array<picoseconds>& ready) {
        open_.add(sender, Timed ? ready[sender] : 0,
                  [this](rank_t i, rank_t j) { return Costs::duration(*request_, i, j); });
    }
    constexpr trees::tree_edge choose(const owned_array<picoseconds>& ready) {
        const trees::tree_edge chosen =
            open_.best([&ready](rank_t i) { return Timed ? ready[i] : 0; },
                       [this](rank_t i, rank_t j) { return Costs::duration(mirrored_, j, i); },
                       [this](rank_t j) { return look_.ahead(j); });
        open_.remove([&chosen](rank_t j) { return j == chosen.child; });
        look_.served(open_, chosen.child);
        return chosen;
    }

  private:
    const tree_plan::request* request_;
    tree_request mirrored_;
    offers open_;
    Look<Costs> look_;
};

/// Chooses the pair with the smallest ready time + cost, the first one on ties.
template <class Costs>
class first_complete {
  public:
    using costs = Costs;
    constexpr first_complete(const tree_request& request, owned_array<rank_t> receivers)
        : request_(&request), open_(request.ranks(), std::move(receivers)) {}
    constexpr void add(rank_t sender, const owned_array<picoseconds>& ready) {
        open_.add(sender, ready[sender], [this](rank_t i, rank_t j) { return Costs::duration(*request_, i, j); });
    }
    constexpr trees::tree_edge choose(const owned_array<picoseconds>& ready) {
        const trees::tree_edge chosen =
            open_.best([&ready](rank_t i) { return ready[i]; },
                       [this](rank_t i, rank_t j) { return Costs::duration(*request_, i, j); });
        open_.remove([&chosen](rank_t j) { return j == chosen.child; });
        return chosen;
    }

  private:
    const tree_plan::request* request_;
    first_pairs open_;
};

/// Chooses the receiver with the smallest overhead, and the sender that completes it first.
class fastest_receiver {
  public:
    using costs = true_costs;
    constexpr fastest_receiver(const tree_request& request, owned_array<rank_t> receivers)
        : mirrored_(request.mirrored()), receivers_(std::move(receivers)), senders_(receivers_.size() + 1) {
        collsched::detail::sort(receivers_.begin(), receivers_.size(), [&request](rank_t a, rank_t b) {
            const picoseconds of_a = request.cost.overhead(a), of_b = request.cost.overhead(b);
            return of_a != of_b ? of_a < of_b : a < b;
        });
    }
    constexpr void add(rank_t sender, const owned_array<picoseconds>&) {
        std::int64_t hole = added_++;
        for (; hole > 0 && sender < senders_[hole - 1]; --hole) senders_[hole] = senders_[hole - 1];
        senders_[hole] = sender;
    }
    constexpr trees::tree_edge choose(const owned_array<picoseconds>& ready) const {
        const rank_t j = receivers_[added_ - 1];
        priced_rank first{INT64_MAX, 0};
        for (std::int64_t n = 0; n < added_; ++n) {
            const rank_t i = senders_[n];
            if (const priced_rank offer{ready[i] + costs::duration(mirrored_, j, i), i}; offer < first) first = offer;
        }
        return {first.rank, j};
    }

  private:
    tree_request mirrored_;
    owned_array<rank_t> receivers_, senders_;  ///< added_ senders, ascending
    std::int64_t added_ = 0;
};

/// Chooses one edge after another by a rule, from ranks with the message to waiting ranks.
template <class Self, class Rule>
struct greedy : group_planner<Self> {
    static constexpr const char* source = "Bhat, Raghavendra, Prasanna 2003";

    static constexpr edge_list group_edges(const tree_request& request, const owned_array<rank_t>& ranks, rank_t head) {
        owned_array<rank_t> receivers(ranks.size() - 1);
        std::int64_t n = 0;
        for (const rank_t r : ranks)
            if (r != head) receivers[n++] = r;
        owned_array<picoseconds> ready(request.ranks());
        edge_list edges(receivers.size());
        Rule rule(request, std::move(receivers));
        rule.add(head, ready);
        for (trees::tree_edge& edge : edges) {
            edge = rule.choose(ready);
            ready[edge.child] = ready[edge.parent] + Rule::costs::duration(request, edge.parent, edge.child);
            ready[edge.parent] += Rule::costs::busy(request, edge.parent, edge.child);
            rule.add(edge.child, ready);
        }
        return edges;
    }
};

}  // namespace detail

/// Fastest node first: the receiver j with the smallest o(j), from the sender that completes it first. O(p^2) time,
/// O(p) memory. Source: Banikazemi, Moorthy, Panda 1998.
struct fnf : detail::greedy<fnf, detail::fastest_receiver> {
    static constexpr const char* name = "fnf";
    static constexpr const char* source = "Banikazemi, Moorthy, Panda 1998";
};

/// Fastest edge first: the smallest L(i,j), without regard to ready times. O(p^2) time, O(p) memory. Source: Bhat,
/// Raghavendra, Prasanna 2003.
struct fef : detail::greedy<fef, detail::first_pair<detail::latency_costs, false>> {
    static constexpr const char* name = "fef";
};
/// Fastest edge first by the smallest C(i,j). Complexity and source as fef.
struct fef_cost : detail::greedy<fef_cost, detail::first_pair<detail::true_costs, false>> {
    static constexpr const char* name = "fef-cost";
};
/// Fastest edge first by the smallest (m-1)/b(i,j) + L(i,j), without overheads. Complexity and source as fef.
struct fef_blind : detail::greedy<fef_blind, detail::first_pair<detail::blind_costs, false>> {
    static constexpr const char* name = "fef-blind";
};

/// Fastest completing edge first: the smallest RT(i) + C(i,j), where i is ready at RT(i). O(p^2 log p) time, at most
/// O(p^2) memory. Source: Bhat, Raghavendra, Prasanna 2003, as "earliest completing edge first".
struct fcef : detail::greedy<fcef, detail::first_complete<detail::true_costs>> {
    static constexpr const char* name = "fcef";
};
/// fcef in its authors' blocking model: both ends are busy for C'(i,j) = (m-1)/b(i,j) + L(i,j). The times of the plan
/// are those of the full model. Complexity and source as fcef.
struct fcef_blind : detail::greedy<fcef_blind, detail::first_complete<detail::blind_costs>> {
    static constexpr const char* name = "fcef-blind";
};

/// Look-ahead: the smallest RT(i) + C(i,j) + min C(j,k) over the other waiting ranks k; 0 for the last j. O(p^2 log p)
/// time, at most O(p^2) memory. Source: Bhat, Raghavendra, Prasanna 2003.
struct la : detail::greedy<la, detail::first_pair<detail::true_costs, true, detail::look_at_nearest>> {
    static constexpr const char* name = "la";
};
/// Look-ahead with the mean of C(j,k), rounded down to a picosecond. Complexity and source as la.
struct la_mean : detail::greedy<la_mean, detail::first_pair<detail::true_costs, true, detail::look_at_mean>> {
    static constexpr const char* name = "la-mean";
};
/// Look-ahead in the blocking model of fcef_blind. Complexity and source as la.
struct la_blind : detail::greedy<la_blind, detail::first_pair<detail::blind_costs, true, detail::look_at_nearest>> {
    static constexpr const char* name = "la-blind";
};

}}}  // namespace collsched::COLLSCHED_ABI::planners
