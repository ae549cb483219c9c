#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/topology/network.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// The names that vertices keep when others are removed: those given, or "r3" and "s0" by the numbers before.
class kept_names {
  public:
    /// @param removed  per vertex of `net`: whether it is removed
    constexpr kept_names(const topology::network& net, const owned_array<bool>& removed)
        : generated_(net.vertices() * length) {
        bool named = false;
        std::int64_t removals = 0;
        for (rank_t v = 0; v < net.vertices(); ++v) {
            named = named || *net.name(v) != '\0';
            removals += removed[v] ? 1 : 0;
        }
        if (!named && removals == 0) return;
        names_ = owned_array<const char*>(net.vertices() - removals);
        std::int64_t i = 0;
        for (rank_t v = 0; v < net.vertices(); ++v)
            if (!removed[v]) names_[i++] = named ? net.name(v) : numbered(net, v);
    }
    constexpr std::span<const char* const> names() const { return names_; }

  private:
    static constexpr std::int64_t length = sizeof("s1073741823");  // a name, with null

    constexpr const char* numbered(const topology::network& net, rank_t v) {
        char* const text = generated_.begin() + v * length;
        text[0] = net.is_switch(v) ? 's' : 'r';
        const rank_t number = net.is_switch(v) ? v - net.ranks() : v;
        int digits = 1;
        for (rank_t remainder = number / 10; remainder > 0; remainder /= 10) ++digits;
        rank_t remainder = number;
        for (int d = digits; d > 0; --d, remainder /= 10) text[d] = static_cast<char>('0' + remainder % 10);
        return text;
    }

    owned_array<char> generated_;
    owned_array<const char*> names_;
};

}  // namespace detail

namespace topology {

/// Returns a copy of a network without some of its links and vertices. A removed vertex takes its links with it.
///
/// The other links, ranks and switches keep their order and their names, and are numbered anew without gaps. If a
/// network without names loses a vertex, the others are named by the numbers that they had: "r3", "s0".
/// O(vertices + links). Failure: check() of the result reports a wrong index, or that no rank is left. A network with
/// an error is returned as it is.
/// @param net       a network
/// @param links     indices of links, each 0 .. net.links().size()-1; duplicates are permitted
/// @param vertices  ranks or switches, each 0 .. net.vertices()-1; duplicates are permitted
/// @return the network that is left
constexpr network prune(const network& net, std::span<const std::int64_t> links,
                        std::span<const rank_t> vertices = {}) {
    if (net.check()) return net;
    const auto count = static_cast<std::int64_t>(net.links().size());
    owned_array<bool> removed(net.vertices()), cut(count);
    for (std::size_t i = 0; i < links.size(); ++i) {
        if (links[i] < 0 || links[i] >= count)
            return network({"links", links[i], "the index of a link", static_cast<std::int64_t>(i)});
        cut[links[i]] = true;
    }
    for (std::size_t i = 0; i < vertices.size(); ++i) {
        if (vertices[i] < 0 || vertices[i] >= net.vertices())
            return network({"vertices", vertices[i], "a vertex", static_cast<std::int64_t>(i)});
        removed[vertices[i]] = true;
    }
    owned_array<rank_t> number(net.vertices());
    rank_t ranks = 0, vertex_count = 0;
    for (rank_t v = 0; v < net.vertices(); ++v) {
        number[v] = vertex_count;
        if (removed[v]) continue;
        ++vertex_count;
        if (!net.is_switch(v)) ++ranks;
    }
    owned_array<network::link> kept(count);
    std::int64_t size = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        const network::link& link = net.links()[static_cast<std::size_t>(i)];
        if (!cut[i] && !removed[link.from] && !removed[link.to])
            kept[size++] = {number[link.from], number[link.to], link.bandwidth, link.latency};
    }
    const collsched::detail::kept_names names(net, removed);
    return network(ranks, vertex_count - ranks,
                   std::span<const network::link>(kept).first(static_cast<std::size_t>(size)), names.names());
}

}  // namespace topology

}}  // namespace collsched::COLLSCHED_ABI
