#pragma once

#include <cstdint>
#include <span>

#include "collsched/core/rank.hpp"
#include "collsched/topology/detail/arc_table.hpp"
#include "collsched/topology/detail/signed_vector.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace topology { namespace detail {

/// Finds the arcs that every path to a rank contains. Paths begin at any other rank, and lead through switches only.
///
/// A path is found first. The vertices from which the rank can be reached without the arcs of this path, or against
/// them, are a set which only arcs of the path enter: one arc, unless a rank is in the set. This is the flow of
/// value 1 of Ford and Fulkerson 1956.
class forced_arcs {
  public:
    /// @param arcs      the arcs of a network, kept by reference
    /// @param ranks     number of ranks
    /// @param vertices  number of ranks and switches
    forced_arcs(const arc_table& arcs, rank_t ranks, rank_t vertices)
        : arcs_(arcs),
          ranks_(ranks),
          next_(static_cast<std::size_t>(vertices)),
          inside_(static_cast<std::size_t>(vertices)) {}

    /// Returns the numbers of the arcs, from the rank backward; none if there is no path. O(arcs) or less.
    /// @return numbers, valid until the next call
    std::span<const std::int64_t> find(rank_t sink) {
        forced_.clear();
        ++turn_;
        if (!find_path(sink)) return {};
        ++turn_;
        open_.assign(1, sink);
        inside_[sink] = turn_;
        for (std::int64_t i = 0; !grow(sink); enter(arcs_[path_[i]].from)) {
            while (inside_[arcs_[path_[i]].from] == turn_) ++i;
            forced_.push_back(path_[i]);
            if (arcs_[path_[i]].from < ranks_) break;
        }
        return forced_;
    }

  private:
    /// Searches the path with the fewest arcs. Keeps its arcs, the last one first, and the one that leaves each switch.
    bool find_path(rank_t sink) {
        open_.assign(1, sink);
        inside_[sink] = turn_;
        for (std::int64_t at = 0; at < open_.length(); ++at)
            for (const std::int64_t i : arcs_.into(open_[at])) {
                const rank_t from = arcs_[i].from;
                if (inside_[from] == turn_) continue;
                next_[from] = i;
                if (from < ranks_) {
                    keep_path(from, sink);
                    return true;
                }
                enter(from);
            }
        return false;
    }
    void keep_path(rank_t from, rank_t sink) {
        path_.clear();
        for (rank_t v = from; v != sink; v = arcs_[next_[v]].to) path_.push_back(next_[v]);
        for (std::int64_t i = 0; i < path_.length() / 2; ++i) {
            const std::int64_t other = path_[i];
            path_[i] = path_[path_.length() - 1 - i];
            path_[path_.length() - 1 - i] = other;
        }
        on_path_.assign(next_.size(), -1);
        for (const std::int64_t i : path_) on_path_[arcs_[i].from] = i;
    }
    void enter(rank_t v) {
        if (inside_[v] == turn_) return;
        inside_[v] = turn_;
        open_.push_back(v);
    }
    /// Adds the vertices that reach the set, against the path or not over it. Returns true if a rank does.
    bool grow(rank_t sink) {
        while (!open_.empty()) {
            const rank_t v = open_.back();
            open_.pop_back();
            if (v != sink && v < ranks_) return true;
            if (on_path_[v] >= 0) enter(arcs_[on_path_[v]].to);
            for (const std::int64_t i : arcs_.into(v))
                if (on_path_[arcs_[i].from] != i) enter(arcs_[i].from);
        }
        return false;
    }

    const arc_table& arcs_;
    rank_t ranks_;
    signed_vector<std::int64_t> next_, path_, on_path_, forced_;
    signed_vector<std::int64_t> inside_;  // per vertex, the last turn in which it was reached
    signed_vector<rank_t> open_;
    std::int64_t turn_ = 0;
};

}}}}  // namespace collsched::COLLSCHED_ABI::topology::detail
