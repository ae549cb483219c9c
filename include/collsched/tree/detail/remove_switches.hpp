#pragma once

#include <cstdint>

#include "collsched/core/rank.hpp"
#include "collsched/tree/detail/sink_flows.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace trees { namespace detail {

/// A path through the network, from one rank to another, and the capacity that it has to itself.
struct routed_path {
    signed_vector<rank_t> vertices;
    std::int64_t capacity = 0;
};

/// Paths of each arc of a graph; their capacities add up to that of the arc.
using arc_paths = signed_vector<signed_vector<routed_path>>;

/// Takes `amount` of capacity from the last paths of a list.
inline signed_vector<routed_path> take_paths(signed_vector<routed_path>& list, std::int64_t amount) {
    signed_vector<routed_path> taken;
    while (amount > 0) {
        routed_path& last = list.back();
        taken.push_back(last);
        if (last.capacity <= amount) {
            list.pop_back();
        } else {
            last.capacity -= amount;
            taken.back().capacity = amount;
        }
        amount -= taken.back().capacity;
    }
    return taken;
}

/// Returns the two paths as one, without the loops by which a vertex would be visited twice.
inline signed_vector<rank_t> joined_path(const signed_vector<rank_t>& first, const signed_vector<rank_t>& second) {
    signed_vector<rank_t> path(first);
    for (std::int64_t i = 1; i < second.length(); ++i) {
        std::int64_t at = 0;
        while (at < path.length() && path[at] != second[i]) ++at;
        path.resize(static_cast<std::size_t>(at));
        path.push_back(second[i]);
    }
    return path;
}

/// Replaces switches by arcs between ranks, and keeps the max flow to every rank: takes a pair of arcs (u,w) and (w,t) at
/// switch w and splits off as much capacity as possible. A switch with as much capacity in as out, or more, can be
/// removed entirely. Source: Bang-Jensen, Frank, Jackson 1995.
class switch_removal {
  public:
    /// @param flows  a flow to each rank; the vertices from flows.sinks() on are the switches
    /// @param paths  paths of each arc, at first its own two ends
    switch_removal(sink_flows& flows, arc_paths& paths) : flows_(flows), paths_(paths) {}

    /// Removes the arcs of a switch w. Returns false if arcs in and out of it remain.
    bool remove(rank_t w) {
        collect(w);
        // Even shares first: a rank then reaches all others over one arc each, which makes trees shallow.
        for (const std::int64_t out : out_) pair_with_all(out, share(out));
        for (const std::int64_t out : out_) pair_with_all(out, unlimited);
        for (const std::int64_t out : out_)
            for (const std::int64_t in : in_)
                if (flows_.graph()[in].from == flows_.graph()[out].to) pair(in, out, unlimited);
        return remaining(in_) == 0 || remaining(out_) == 0;
    }

  private:
    void collect(rank_t w) {
        in_.clear(), out_.clear();
        for (const flow_graph::half_arc& half : flows_.graph().incident(w))
            if (flows_.capacity(half.arc) > 0) (half.forward ? out_ : in_).push_back(half.arc);
    }
    std::int64_t share(std::int64_t out) const {
        std::int64_t others = 0;
        for (const std::int64_t in : in_) others += flows_.graph()[in].from != flows_.graph()[out].to ? 1 : 0;
        return others == 0 ? 0 : flows_.capacity(out) / others;
    }
    std::int64_t remaining(const signed_vector<std::int64_t>& arcs) const {
        std::int64_t sum = 0;
        for (const std::int64_t arc : arcs) sum += flows_.capacity(arc);
        return sum;
    }

    void pair_with_all(std::int64_t out, std::int64_t limit) {
        for (const std::int64_t in : in_)
            if (flows_.graph()[in].from != flows_.graph()[out].to) pair(in, out, limit);
    }
    /// Splits off up to `limit` of two arcs. If they make a loop, the capacity is dropped.
    void pair(std::int64_t in, std::int64_t out, std::int64_t limit) {
        for (const std::int64_t arc : {in, out})
            if (flows_.capacity(arc) < limit) limit = flows_.capacity(arc);
        if (limit == 0) return;
        const rank_t from = flows_.graph()[in].from, to = flows_.graph()[out].to;
        const std::int64_t direct = from == to ? -1 : find_or_add(from, to);
        const std::int64_t moved = flows_.split(in, out, direct, limit);
        if (moved > 0) move_paths(in, out, direct, moved);
    }
    std::int64_t find_or_add(rank_t from, rank_t to) {
        for (const flow_graph::half_arc& half : flows_.graph().incident(from))
            if (half.forward && half.other == to) return half.arc;
        paths_.emplace_back();
        return flows_.add_arc(from, to, 0);
    }
    void move_paths(std::int64_t in, std::int64_t out, std::int64_t direct, std::int64_t moved) {
        signed_vector<routed_path> first = take_paths(paths_[in], moved), second = take_paths(paths_[out], moved);
        while (direct >= 0 && moved > 0) {
            const std::int64_t a = first.back().capacity, b = second.back().capacity, both = a < b ? a : b;
            paths_[direct].push_back({joined_path(first.back().vertices, second.back().vertices), both});
            if ((first.back().capacity -= both) == 0) first.pop_back();
            if ((second.back().capacity -= both) == 0) second.pop_back();
            moved -= both;
        }
    }

    sink_flows& flows_;
    arc_paths& paths_;
    signed_vector<std::int64_t> in_, out_;
};

}}}}  // namespace collsched::COLLSCHED_ABI::trees::detail
