#pragma once

#include <cstdint>
#include <span>

#include "collsched/core/detail/sort.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/topology/detail/arc_table.hpp"
#include "collsched/topology/translations.hpp"
#include "collsched/topology/detail/signed_vector.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace trees { namespace detail {

using topology::detail::arc_table;
using topology::detail::link_orbits;
using topology::detail::signed_vector;

/// A step of a path to rank 0.
struct path_step {
    rank_t vertex{};
    std::int64_t next{};  ///< index of the next step, -1 at rank 0
};

/// A sequence of orbits of links along which paths lead over switches to rank 0. Translations of these paths lead to
/// any other rank, and load the same orbits.
struct switch_walk {
    signed_vector<std::int64_t> orbits;  ///< from rank 0 backward, each once
    signed_vector<std::int64_t> starts;  ///< the first step of a path from each rank
};

/// Finds the walks to rank 0 that take shortest ways between switches: each switch of a path is one link closer to
/// rank 0, counted without ranks, than the switch before it.
class walk_search {
  public:
    /// @param arcs    the links of a network
    /// @param orbits  their orbits
    /// @param ranks   number of ranks
    /// @param all     number of vertices
    walk_search(const arc_table& arcs, const link_orbits& orbits, rank_t ranks, rank_t all)
        : arcs_(arcs), orbits_(orbits), ranks_(ranks), distance_(static_cast<std::size_t>(all), -1) {}

    /// @return whether there are few enough paths; otherwise the search ends early
    bool run() {
        find_distances();
        steps_.push_back({0, -1});
        const std::int64_t first[] = {0};
        extend(first);
        return !too_many_;
    }
    /// Drops the walks that do not lead from rank 0 and back to a rank over cables of the same orbits.
    void keep_returning() {
        signed_vector<std::int64_t> reverse(orbits_.size.size(), -1);
        for (std::int64_t i = 0; i < arcs_.size(); ++i)
            if (const std::int64_t back = arcs_.find(arcs_[i].to, arcs_[i].from); back >= 0)
                reverse[orbits_.of[i]] = orbits_.of[back];
        signed_vector<switch_walk> kept;
        for (switch_walk& walk : walks_) {
            bool returns = true;
            for (std::int64_t i = 0; i < walk.orbits.length(); ++i)
                returns = returns && reverse[walk.orbits[i]] == walk.orbits[walk.orbits.length() - 1 - i];
            if (returns) kept.push_back(static_cast<switch_walk&&>(walk));
        }
        walks_.swap(kept);
    }
    const signed_vector<switch_walk>& walks() const { return walks_; }
    const signed_vector<path_step>& steps() const { return steps_; }

  private:
    /// Most walks, and most steps of their paths.
    static constexpr std::int64_t most_walks = 1 << 14, most_steps = 1 << 23;

    /// A link into a vertex that paths have reached.
    struct way {
        std::int64_t orbit{};
        rank_t from{};
        std::int64_t next{};  ///< index of the step at its other end
    };

    void find_distances() {
        signed_vector<rank_t> queue(1, 0);
        distance_[0] = 0;
        for (std::int64_t head = 0; head < queue.length(); ++head)
            for (const std::int64_t i : arcs_.into(queue[head])) {
                const rank_t from = arcs_[i].from;
                if (from < ranks_ || distance_[from] >= 0) continue;
                distance_[from] = distance_[queue[head]] + 1;
                queue.push_back(from);
            }
    }

    /// Extends all paths with the orbits of `walk_`, which begin at these steps, by one link.
    void extend(std::span<const std::int64_t> begins) {
        const signed_vector<way> ways = ways_into(begins);
        for (std::int64_t i = 0; i < ways.length() && !too_many_;) {
            signed_vector<std::int64_t> next;
            const std::int64_t first = i;
            for (; i < ways.length() && ways[i].orbit == ways[first].orbit; ++i) {
                if (i > first && ways[i].from == ways[i - 1].from) continue;
                next.push_back(steps_.length());
                steps_.push_back({ways[i].from, ways[i].next});
            }
            too_many_ = steps_.length() > most_steps || walks_.length() >= most_walks;
            walk_.push_back(ways[first].orbit);
            if (ways[first].from < ranks_) walks_.push_back({walk_, next});
            else extend(next);
            walk_.pop_back();
        }
    }
    /// Returns the links that lead closer to rank 0, by orbit, of orbits that the walk lacks.
    signed_vector<way> ways_into(std::span<const std::int64_t> begins) const {
        signed_vector<way> ways;
        for (const std::int64_t begin : begins)
            for (const std::int64_t i : arcs_.into(steps_[begin].vertex)) {
                const rank_t from = arcs_[i].from;
                bool usable = from < ranks_ ? from != 0 : distance_[from] == distance_[steps_[begin].vertex] + 1;
                for (const std::int64_t orbit : walk_) usable = usable && orbit != orbits_.of[i];
                if (usable) ways.push_back({orbits_.of[i], from, begin});
            }
        collsched::detail::sort(ways.data(), ways.length(), [](const way& a, const way& b) {
            if (a.orbit != b.orbit) return a.orbit < b.orbit;
            return a.from != b.from ? a.from < b.from : a.next < b.next;
        });
        return ways;
    }

    const arc_table& arcs_;
    const link_orbits& orbits_;
    rank_t ranks_;
    signed_vector<std::int64_t> distance_;  // per switch that reaches rank 0, and rank 0; otherwise -1
    signed_vector<path_step> steps_;
    signed_vector<std::int64_t> walk_;
    signed_vector<switch_walk> walks_;
    bool too_many_ = false;
};

/// Walks that share orbits of links. Their uses together are limited by each of these orbits.
struct walk_limit {
    signed_vector<std::int64_t> orbits;
    signed_vector<std::int64_t> walks;  ///< ascending
    std::int64_t outer = -1;            ///< the smallest limit that includes this one, or -1
};

/// The limits of walks, if of two sets of walks that share an orbit, one always includes the other or both are
/// disjoint. Then a flow from walks through limits, from inner to outer ones, respects them all.
struct walk_limits {
    signed_vector<walk_limit> limits;     ///< inner ones first
    signed_vector<std::int64_t> of_walk;  ///< per walk, its innermost limit
    bool nested = true;                   ///< false: the sets are not as required, and the other members unusable
};

/// Returns the limits of walks. O(orbits log orbits + sum of the lengths of walks).
inline walk_limits find_limits(const signed_vector<switch_walk>& walks, std::int64_t orbits) {
    signed_vector<walk_limit> sets(static_cast<std::size_t>(orbits));
    for (std::int64_t o = 0; o < orbits; ++o) sets[o].orbits.push_back(o);
    for (std::int64_t w = 0; w < walks.length(); ++w)
        for (const std::int64_t orbit : walks[w].orbits) sets[orbit].walks.push_back(w);
    signed_vector<std::int64_t> order;
    for (std::int64_t o = 0; o < orbits; ++o)
        if (!sets[o].walks.empty()) order.push_back(o);
    collsched::detail::sort(order.data(), order.length(), [&](std::int64_t a, std::int64_t b) {
        if (sets[a].walks.size() != sets[b].walks.size()) return sets[a].walks.size() < sets[b].walks.size();
        return sets[a].walks != sets[b].walks ? sets[a].walks < sets[b].walks : a < b;
    });
    walk_limits result;
    result.of_walk.assign(walks.size(), -1);
    signed_vector<std::int64_t> outermost(walks.size(), -1);  // per walk, its largest limit so far
    for (const std::int64_t o : order) {
        walk_limit& set = sets[o];
        if (!result.limits.empty() && result.limits.back().walks == set.walks) {
            result.limits.back().orbits.push_back(o);
            continue;
        }
        const std::int64_t number = result.limits.length();
        std::size_t inside = 0;
        for (const std::int64_t w : set.walks) {
            const std::int64_t inner = outermost[w];
            if (inner < 0) result.of_walk[w] = number;
            if (inner < 0) ++inside;
            else if (result.limits[inner].outer < 0) inside += result.limits[inner].walks.size();
            if (inner >= 0) result.limits[inner].outer = number;
            outermost[w] = number;
        }
        if (inside != set.walks.size()) result.nested = false;
        if (!result.nested) return result;
        result.limits.push_back(static_cast<walk_limit&&>(set));
    }
    return result;
}

}}}}  // namespace collsched::COLLSCHED_ABI::trees::detail
