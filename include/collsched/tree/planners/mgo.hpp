#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/topology/switch_tree.hpp"
#include "collsched/tree/planners/detail/offers.hpp"
#include "collsched/tree/tree_plan.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace planners {

namespace detail {

/// State of the plan. For the current level: the site of each rank, which is the switch of that level above it, or -1;
/// and for each sender the waiting ranks of its site by cost.
class mgo_run {
  public:
    constexpr explicit mgo_run(const tree_plan::request& request) : request_(request) {
        list_ranks();
        has_[request.root] = true;
        senders_[0] = request.root;
        for (rank_t level = 1; level < request.switches.levels() && sent_ < edges_.size(); ++level) {
            find_sites(level);
            reach(receivers(true));
        }
        for (rank_t& site : site_) site = -1;
        reach(receivers(false));
    }
    constexpr owned_array<trees::tree_edge> edges() && { return std::move(edges_); }

  private:
    /// Lists the ranks below switch e at under_[first_under_[e]] and the following entries.
    constexpr void list_ranks() {
        owned_array<rank_t> next(first_under_.size());
        const topology::switch_tree& tree = request_.switches;
        for (rank_t e = 1; e < next.size(); ++e) {
            next[e] = first_under_[e] = next[tree.parent(e)];
            next[tree.parent(e)] += tree.population(e);
        }
        for (rank_t r = 0; r < has_.size(); ++r) under_[next[tree.home(r)]++] = r;
    }
    constexpr void find_sites(rank_t level) {
        const topology::switch_tree& tree = request_.switches;
        owned_array<rank_t> above(tree.switches());
        for (rank_t e = 0; e < above.size(); ++e)
            above[e] = tree.level(e) == level ? e : tree.level(e) < level ? -1 : above[tree.parent(e)];
        for (rank_t r = 0; r < site_.size(); ++r) site_[r] = above[tree.home(r)];
    }
    /// Returns the ranks of all sites without the message; without sites, all ranks without it.
    constexpr owned_array<rank_t> receivers(bool sites) const {
        owned_array<bool> reached(request_.switches.switches());
        for (rank_t r = 0; r < has_.size(); ++r)
            if (has_[r] && site_[r] >= 0) reached[site_[r]] = true;
        owned_array<rank_t> found(edges_.size() - sent_);
        rank_t count = 0;
        for (rank_t r = 0; r < has_.size(); ++r)
            if (sites ? site_[r] >= 0 && !reached[site_[r]] : !has_[r]) found[count++] = r;
        return owned_array<rank_t>(found.slice(0, count));
    }

    /// Sends to one rank of every site among the receivers, or to every receiver without sites; a sender serves a rank
    /// of its own site first.
    constexpr void reach(owned_array<rank_t> receivers) {
        if (receivers.empty()) return;
        first_pairs open(has_.size(), std::move(receivers));
        neighbors_ = owned_array<nearest>(has_.size());
        const auto duration = [this](rank_t i, rank_t j) { return request_.duration(i, j); };
        const auto enlist = [&](rank_t i) { open.add(i, start(i), duration); };
        for (std::int64_t n = 0; n <= sent_; ++n) enlist(senders_[n]);
        while (open.waiting() > 0) {
            const auto [s, r1] = open.best([this](rank_t i) { return start(i); }, duration);
            const rank_t r2 = neighbor(s).rank;
            if (r2 >= 0) send(s, r2);
            send(s, r1);
            const rank_t reached = r1, site = site_[r1];
            open.remove([&](rank_t r) { return site < 0 ? r == reached : site_[r] == site; });
            enlist(r1);
            if (r2 < 0) continue;
            enlist(r2);
            if (neighbor(s).rank >= 0) continue;
            for (std::int64_t n = 0; n <= sent_; ++n)  // no rank of the site waits: its senders start earlier
                if (site_[senders_[n]] == site_[s]) enlist(senders_[n]);
        }
    }
    constexpr void send(rank_t i, rank_t j) {
        edges_[sent_++] = {i, j};
        senders_[sent_] = j;
        has_[j] = true;
        ready_[j] = ready_[i] + request_.duration(i, j);
        ready_[i] += request_.busy(i, j);
    }
    /// Returns the rank of its site that i serves first, and the streaming time to it.
    constexpr priced_rank neighbor(rank_t i) {
        const rank_t e = site_[i];
        if (e < 0) return {};
        return neighbors_[i].first([this](rank_t r) { return has_[r]; },
                                   [&](auto f) {
                                       for (rank_t n = 0; n < request_.switches.population(e); ++n)
                                           if (const rank_t j = under_[first_under_[e] + n]; !has_[j])
                                               f(priced_rank{request_.cost.stream(i, j, request_.bytes), j});
                                   });
    }
    /// Returns the time at which i is ready after that send.
    constexpr picoseconds start(rank_t i) {
        const priced_rank first = neighbor(i);
        return ready_[i] + (first.rank >= 0 ? request_.cost.overhead(i) + first.cost : 0);
    }

    const tree_plan::request& request_;
    owned_array<trees::tree_edge> edges_{request_.ranks() - 1};
    std::int64_t sent_ = 0;
    owned_array<picoseconds> ready_{request_.ranks()};
    owned_array<bool> has_{request_.ranks()};
    owned_array<rank_t> senders_{request_.ranks()};  ///< sent_ + 1 of them
    owned_array<rank_t> site_{request_.ranks()};
    owned_array<rank_t> under_{request_.ranks()}, first_under_{request_.switches.switches()};
    owned_array<nearest> neighbors_;
};

}  // namespace detail

/// Multi-granularity optimization, level by level of the switch tree from the root down. The message goes to one rank
/// of every site (the nodes below one switch of the level) that has none. The next pair of a sender i and such a rank
/// j1 is the one that completes first if i, while ranks of its own site wait, first sends to the j2 of that site with
/// the smallest (m-1)/b(i,j2). The remaining ranks are planned as by fcef. Ties: the first in ascending (i, j1, j2).
///
/// Complexity: O(l p^2 log p) time for l levels with such sites, at most O(p^2) memory. Source: the listing of the MGO
/// scheduler.
struct mgo {
    static constexpr const char* name = "mgo";
    static constexpr const char* source = "the MGO scheduler";
    constexpr tree_plan operator()(const tree_plan::request& request) const {
        return tree_plan_of(request, [&request] { return detail::mgo_run(request).edges(); });
    }
    bool operator==(const mgo&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::planners
