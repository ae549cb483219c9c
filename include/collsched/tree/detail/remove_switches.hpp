#pragma once

#include <cstdint>

#include "collsched/core/rank.hpp"
#include "collsched/core/fraction.hpp"
#include "collsched/tree/detail/sink_flows.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace trees { namespace detail {

/// A path through the network, from one rank to another, and the capacity that it has to itself.
struct routed_path {
    signed_vector<rank_t> vertices;
    std::int64_t capacity{};
};

/// Paths of each arc of a graph; their capacities add up to that of the arc.
using arc_paths = signed_vector<signed_vector<routed_path>>;

/// Takes `amount` of capacity from the last paths of a list.
inline signed_vector<routed_path> take_paths(signed_vector<routed_path>& list, std::int64_t amount) {
    signed_vector<routed_path> removed;
    while (amount > 0) {
        routed_path& last = list.back();
        removed.push_back(last);
        if (last.capacity <= amount) {
            list.pop_back();
        } else {
            last.capacity -= amount;
            removed.back().capacity = amount;
        }
        amount -= removed.back().capacity;
    }
    return removed;
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

/// The arcs out of a switch that lose capacity first if it has more out than in: all in proportion, or those to other
/// switches. The second order leaves ranks behind a shared link more, and other ranks behind it need less from afar.
enum class surplus_order : std::int8_t { in_proportion, switches_first };

/// Replaces switches by arcs between ranks, and keeps the max flow to every rank: takes a pair of arcs (u,w) and (w,t) at
/// switch w and splits off as much capacity as possible. A switch with as much capacity in as out, or more, can be
/// removed entirely. Source: Bang-Jensen, Frank, Jackson 1995.
class switch_removal {
  public:
    /// @param flows  a flow to each rank; the vertices from flows.sinks() on are the switches
    /// @param paths  paths of each arc, at first its own two ends
    /// @param order  where a switch with less capacity in than out loses the difference
    switch_removal(sink_flows& flows, arc_paths& paths, surplus_order order = surplus_order::in_proportion)
        : flows_(flows), paths_(paths), order_(order) {}

    /// Removes all switches, those with the fewest arcs first: then no path takes detours through the others.
    /// @return -1, or a switch whose arcs in and out cannot be removed
    rank_t run() {
        signed_vector<char> removed(static_cast<std::size_t>(flows_.graph().vertices()), 0);
        for (rank_t w; (w = next(removed)) >= 0; removed[w] = 1)
            if (!remove(w)) return w;
        return -1;
    }

    /// Removes the arcs of a switch w. Returns false if arcs in and out of it remain.
    bool remove(rank_t w) {
        collect(w);
        if (in_.empty() || out_.empty()) return true;
        drop_surplus();
        for (std::int64_t i = 0; i < out_.length(); ++i) spread(i);
        for (const std::int64_t out : out_)
            for (const std::int64_t in : in_)
                if (!is_loop(in, out)) pair(in, out, unlimited);
        for (const std::int64_t out : out_)
            for (const std::int64_t in : in_)
                if (is_loop(in, out)) pair(in, out, unlimited);
        return remaining(in_) == 0 || remaining(out_) == 0;
    }

  private:
    static constexpr std::int64_t most_shares = 32;  // bounds the number of arcs

    rank_t next(const signed_vector<char>& removed) const {
        rank_t best = -1;
        std::int64_t least = 0;
        for (rank_t w = flows_.sinks(); w < removed.length(); ++w) {
            if (removed[w]) continue;
            std::int64_t arcs = 0;
            for (const flow_graph::half_arc& half : flows_.graph().incident(w))
                arcs += flows_.capacity(half.arc) > 0 ? 1 : 0;
            if (best < 0 || arcs < least) best = w, least = arcs;
        }
        return best;
    }
    void collect(rank_t w) {
        in_.clear(), out_.clear();
        for (const flow_graph::half_arc& half : flows_.graph().incident(w))
            if (flows_.capacity(half.arc) > 0) (half.forward ? out_ : in_).push_back(half.arc);
    }
    /// Drops capacity out of the switch that exceeds the capacity into it, as far as all flows permit: in the given order,
    /// and then from any arc. Only a switch that copies could use it.
    void drop_surplus() {
        std::int64_t excess = remaining(out_) - remaining(in_);
        const auto drop = [&](std::int64_t out, std::int64_t part) {
            part = flows_.drop(out, part < excess ? part : excess);
            take_paths(paths_[out], part);
            excess -= part;
        };
        for (std::int64_t i = 0; order_ == surplus_order::switches_first && i < out_.length() && excess > 0; ++i)
            if (flows_.graph()[out_[i]].to >= flows_.sinks()) drop(out_[i], flows_.capacity(out_[i]));
        const std::int64_t all = remaining(out_), surplus = excess;
        for (std::int64_t i = 0; i < 2 * out_.length() && excess > 0; ++i) {
            const std::int64_t out = out_[i % out_.length()], capacity = flows_.capacity(out);
            drop(out, i >= out_.length() ? capacity : collsched::detail::mul_div(capacity, surplus, all).value());
        }
    }

    bool is_loop(std::int64_t in, std::int64_t out) const { return flows_.graph()[in].from == flows_.graph()[out].to; }

    /// Splits off an arc out of the switch in even shares with arcs into it, at even distances in their list: ranks then
    /// reach many others over one arc each, which makes trees shallow.
    void spread(std::int64_t index) {
        const std::int64_t out = out_[index];
        std::int64_t offset = index % in_.length(), loops = 0;
        for (std::int64_t i = 0; i < in_.length(); ++i)
            if (is_loop(in_[i], out)) offset = i, loops = 1;
        const std::int64_t partners = in_.length() - loops, capacity = flows_.capacity(out);
        std::int64_t shares = partners < most_shares ? partners : most_shares;
        if (capacity < shares) shares = capacity;
        for (std::int64_t i = 0; i < shares; ++i)
            pair(in_[(offset + 1 + i * partners / shares) % in_.length()], out, capacity / shares);
    }
    std::int64_t remaining(const signed_vector<std::int64_t>& arcs) const {
        std::int64_t sum = 0;
        for (const std::int64_t arc : arcs) sum += flows_.capacity(arc);
        return sum;
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
            const std::int64_t a = first.back().capacity, b = second.back().capacity, joint = a < b ? a : b;
            paths_[direct].push_back({joined_path(first.back().vertices, second.back().vertices), joint});
            if ((first.back().capacity -= joint) == 0) first.pop_back();
            if ((second.back().capacity -= joint) == 0) second.pop_back();
            moved -= joint;
        }
    }

    sink_flows& flows_;
    arc_paths& paths_;
    surplus_order order_;
    signed_vector<std::int64_t> in_, out_;
};

}}}}  // namespace collsched::COLLSCHED_ABI::trees::detail
