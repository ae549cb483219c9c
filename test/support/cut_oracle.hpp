#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "collsched/core/fraction.hpp"
#include "collsched/schedule/contract.hpp"
#include "collsched/topology/network.hpp"

/// Bounds of the throughput of small networks by going through all sets of vertices.
namespace support::cut_oracle {

using namespace collsched;

/// Vertex v is in the set if bit v is set.
using vertex_set = std::uint64_t;

inline bool contains(vertex_set set, rank_t v) { return ((set >> v) & 1) != 0; }

inline vertex_set set_of(std::span<const rank_t> vertices) {
    vertex_set set = 0;
    for (const rank_t v : vertices) set |= vertex_set{1} << v;
    return set;
}

/// The set of all ranks, which are the lowest vertices.
inline vertex_set all_ranks(const topology::network& net) { return (vertex_set{1} << net.ranks()) - 1; }

inline std::int64_t size_of(vertex_set set) {
    std::int64_t size = 0;
    for (; set != 0; set &= set - 1) ++size;
    return size;
}

/// Links that leave a set, or that enter it.
enum class direction { out, in };

inline bool crosses(const topology::network::link& one, vertex_set set, direction way) {
    const bool from = contains(set, one.from), to = contains(set, one.to);
    return way == direction::out ? from && !to : !from && to;
}

/// The sum of the bandwidths of the links that cross the border of a set, in bytes per second.
inline std::int64_t capacity(const topology::network& net, vertex_set set, direction way) {
    std::int64_t sum = 0;
    for (const auto& one : net.links())
        if (crosses(one, set, way)) sum += one.bandwidth;
    return sum;
}

/// Data of `roots`, an equal part of each, is to pass from all of them to all ranks (out) or reversed (in). A set that
/// misses a rank must let pass the parts of its roots. Returns the rate that a set permits, in bytes per second of all
/// data, if it restricts the rate.
inline std::optional<fraction> rate_of(const topology::network& net, vertex_set roots, vertex_set set, direction way) {
    if ((set & roots) == 0 || (set & all_ranks(net)) == all_ranks(net)) return {};
    return fraction(size_of(roots) * capacity(net, set, way), size_of(set & roots));
}

/// The least rate that a set permits.
/// @pre 2 ranks or more
inline fraction least_rate(const topology::network& net, vertex_set roots, direction way) {
    std::optional<fraction> least;
    for (vertex_set set = 1; set < vertex_set{1} << net.vertices(); ++set)
        if (const auto rate = rate_of(net, roots, set, way); rate && (!least || *rate < *least)) least = rate;
    return *least;
}

/// The least bandwidth from a set of vertices with a rank to the rest with another rank.
inline fraction separating_rate(const topology::network& net) {
    std::optional<fraction> least;
    for (vertex_set set = 1; set < vertex_set{1} << net.vertices(); ++set) {
        const vertex_set inside = set & all_ranks(net);
        if (inside == 0 || inside == all_ranks(net)) continue;
        const fraction rate = capacity(net, set, direction::out);
        if (!least || rate < *least) least = rate;
    }
    return *least;
}

/// The rate of an allreduce by its volume: all ranks together send 2 (p-1) times the vector, and receive as much.
inline fraction volume_rate(const topology::network& net) {
    std::int64_t sent = 0, received = 0;
    for (const auto& one : net.links()) {
        if (!net.is_switch(one.from)) sent += one.bandwidth;
        if (!net.is_switch(one.to)) received += one.bandwidth;
    }
    return {std::min(sent, received), 2 * (net.ranks() - 1)};
}

inline direction direction_of(collective kind) {
    return kind == collective::reduce || kind == collective::reduce_scatter ? direction::in : direction::out;
}

/// The vertices that have a part of the data at the begin (broadcast, allgather) or at the end (the others).
inline vertex_set roots_of(const topology::network& net, collective kind, rank_t root) {
    const bool rooted = kind == collective::broadcast || kind == collective::reduce;
    return rooted ? vertex_set{1} << root : all_ranks(net);
}

/// The bound of an allgather, reduce_scatter, broadcast, reduce or allreduce in bytes of its vector per second.
inline fraction bound(const topology::network& net, collective kind, rank_t root) {
    if (kind == collective::allreduce) return std::min(separating_rate(net), volume_rate(net));
    return least_rate(net, roots_of(net, kind, root), direction_of(kind));
}

/// Whether a set of vertices permits no higher rate than the bound.
inline bool is_saturated(const topology::network& net, collective kind, rank_t root, std::span<const rank_t> cut) {
    const vertex_set set = set_of(cut);
    if (kind != collective::allreduce) {
        const auto rate = rate_of(net, roots_of(net, kind, root), set, direction_of(kind));
        return rate && *rate == bound(net, kind, root);
    }
    const vertex_set inside = set & all_ranks(net);
    return inside != 0 && inside != all_ranks(net) &&
           fraction(capacity(net, set, direction::out)) == bound(net, kind, root);
}

/// The indices of the links that leave a set, or that enter it if the collective is a reduce or a reduce_scatter.
inline std::vector<std::int64_t> links_of(const topology::network& net, collective kind, std::span<const rank_t> cut) {
    std::vector<std::int64_t> links;
    for (std::size_t i = 0; i < net.links().size(); ++i)
        if (crosses(net.links()[i], set_of(cut), direction_of(kind))) links.push_back(static_cast<std::int64_t>(i));
    return links;
}

/// The highest rate of forests of `trees` unit trees per root whose unit divides the bandwidth of links (or of all
/// links of a pair together) without using the rest, by trying every unit that uses up some bandwidth.
inline fraction rate_of_few(const topology::network& net, vertex_set roots, std::int64_t trees, bool pairs) {
    const auto n = static_cast<std::size_t>(net.vertices());
    std::vector<topology::network::link> links(net.links().begin(), net.links().end());
    if (pairs) {
        std::vector<std::int64_t> sums(n * n);
        for (const auto& one : links)
            sums[static_cast<std::size_t>(one.from) * n + static_cast<std::size_t>(one.to)] += one.bandwidth;
        links.clear();
        for (std::size_t i = 0; i < n * n; ++i)
            if (sums[i] > 0) links.push_back({static_cast<rank_t>(i / n), static_cast<rank_t>(i % n), sums[i]});
    }
    __extension__ using wide = __int128;
    const auto fits = [&](const fraction& unit) {
        std::vector<topology::network::link> floors;
        for (topology::network::link one : links) {
            one.bandwidth =
                static_cast<std::int64_t>(static_cast<wide>(one.bandwidth) * unit.denominator() / unit.numerator());
            if (one.bandwidth > 0) floors.push_back(one);
        }
        const topology::network scaled(net.ranks(), net.switches(), floors);
        return !(least_rate(scaled, roots, direction::out) < fraction(trees * size_of(roots)));
    };
    std::vector<fraction> units;
    for (const auto& one : links)
        for (std::int64_t part = 1; part <= trees * size_of(roots); ++part) units.push_back({one.bandwidth, part});
    std::sort(units.begin(), units.end());
    const auto last = std::partition_point(units.begin(), units.end(), fits);
    return last == units.begin() ? fraction(0)
                                 : fraction(last[-1].numerator() * trees * size_of(roots), last[-1].denominator());
}

}  // namespace support::cut_oracle
