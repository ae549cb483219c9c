#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace topology {

/// A network of ranks, switches and directed links, as a graph. Vertices 0 .. ranks()-1 are the ranks, those from
/// ranks() on the switches, which send on but keep nothing. Two vertices may have several links. A cable is two links.
///
/// check() reports a wrong network, with the index of the link; it then has no vertices and no links.
class network {
  public:
    /// One direction of a cable.
    struct link {
        rank_t from = 0;             ///< vertex that sends
        rank_t to = 0;               ///< vertex that receives, another one
        std::int64_t bandwidth = 1;  ///< bytes per second, 1 or more
        std::int64_t latency = 0;    ///< picoseconds, 0 or more
        bool operator==(const link&) const = default;
    };
    /// A cable: two links, one in each direction, with equal rates.
    struct cable {
        std::int64_t bandwidth = 1;  ///< bytes per second in each direction, 1 or more
        std::int64_t latency = 0;    ///< picoseconds, 0 or more
        bool operator==(const cable&) const = default;
    };

    struct cut_bound;         ///< result of throughput_bound()
    struct link_bound;        ///< result of forwarding_bound()
    struct flow_bound;        ///< result of price_bound() and alltoall_bound()
    struct rank_cycle;        ///< result of find_rank_cycle()
    class translations;       ///< result of find_translations()
    struct leaf_spine_shape;  ///< parameter of networks::leaf_spine()
    struct dragonfly_shape;   ///< parameter of networks::dragonfly()
    struct boxes_shape;       ///< parameter of networks::boxes()

    /// Constructs a network without vertices.
    constexpr network() = default;
    /// Constructs a network without vertices whose check() returns `error`.
    /// @param error  an error
    constexpr explicit network(const argument_error& error) : error_(error) {}
    /// Constructs a network. Failure: check() reports a wrong number or link.
    /// @param ranks     number of ranks, 1 or more
    /// @param switches  number of switches, 0 or more
    /// @param links     all links, each in one direction
    /// @param names     a name for each vertex; empty: rank 3 is "r3", switch 0 "s0"
    constexpr network(rank_t ranks, rank_t switches, std::span<const link> links,
                      std::span<const char* const> names = {})
        : ranks_(ranks), switches_(switches), links_(links) {
        error_ = check_parts(names.size());
        if (error_) {
            *this = network(error_);
            return;
        }
        keep(names);
    }

    /// Returns the number of ranks p.
    constexpr rank_t ranks() const { return ranks_; }
    /// Returns the number of switches.
    constexpr rank_t switches() const { return switches_; }
    /// Returns the number of ranks and switches.
    constexpr rank_t vertices() const { return ranks_ + switches_; }
    /// Returns whether a vertex is a switch.
    /// @param v  vertex, 0 .. vertices()-1
    constexpr bool is_switch(rank_t v) const { return v >= ranks_; }
    /// Returns all links.
    /// @return links, valid as long as the network
    constexpr std::span<const link> links() const { return links_; }
    /// Returns a link. O(1).
    /// @param i  index, 0 .. links().size() - 1
    constexpr const link& operator[](std::int64_t i) const { return links_[i]; }
    /// Returns the given name of a vertex, or an empty text.
    /// @param v  vertex, 0 .. vertices()-1
    /// @return null-terminated text, valid as long as the network
    constexpr const char* name(rank_t v) const { return first_.empty() ? "" : text_.begin() + first_[v]; }

    /// Returns this network with the direction of every link reversed. Links keep their indices, vertices their names.
    /// O(vertices + links).
    constexpr network reversed() const {
        network result(*this);
        for (link& entry : result.links_) {
            const rank_t from = entry.from;
            entry.from = entry.to;
            entry.to = from;
        }
        return result;
    }

    constexpr argument_error check() const { return error_; }
    bool operator==(const network&) const = default;

  private:
    /// Most vertices: their numbers, and those of links between all of them, fit into 64 bits with room to spare.
    static constexpr rank_t most_vertices = rank_t{1} << 30;

    constexpr argument_error check_parts(std::size_t names) const {
        if (ranks_ < 1 || ranks_ > most_vertices) return {"ranks", ranks_, "1 to 2^30"};
        if (switches_ < 0 || switches_ > most_vertices) return {"switches", switches_, "0 to 2^30"};
        for (std::int64_t i = 0; i < links_.size(); ++i) {
            const link& entry = links_[i];
            if (entry.from < 0 || entry.from >= vertices()) return {"from", entry.from, "a vertex", i};
            if (entry.to < 0 || entry.to >= vertices()) return {"to", entry.to, "a vertex", i};
            if (entry.to == entry.from) return {"to", entry.to, "another vertex than `from`", i};
            if (entry.bandwidth < 1) return {"bandwidth", entry.bandwidth, "1 byte per second or more", i};
            if (entry.latency < 0) return {"latency", entry.latency, "0 picoseconds or more", i};
        }
        const auto named = static_cast<std::int64_t>(names);
        if (named != 0 && named != vertices()) return {"names", named, "one name per vertex, or none"};
        return {};
    }
    constexpr void keep(std::span<const char* const> names) {
        std::int64_t size = 0;
        for (const char* name : names)
            for (size += 1; *name != '\0'; ++name) ++size;
        text_ = owned_array<char>(size);
        first_ = owned_array<std::int64_t>(static_cast<std::int64_t>(names.size()));
        std::int64_t at = 0, vertex = 0;
        for (const char* name : names) {
            first_[vertex++] = at;
            for (; *name != '\0'; ++name) text_[at++] = *name;
            text_[at++] = '\0';
        }
    }

    rank_t ranks_ = 0, switches_ = 0;
    owned_array<link> links_;
    owned_array<char> text_;           // all names, each with a null
    owned_array<std::int64_t> first_;  // per vertex: where its name begins
    argument_error error_;
};

}  // namespace topology

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
        const network::link& link = net[i];
        if (!cut[i] && !removed[link.from] && !removed[link.to])
            kept[size++] = {number[link.from], number[link.to], link.bandwidth, link.latency};
    }
    const collsched::detail::kept_names names(net, removed);
    return network(ranks, vertex_count - ranks, kept.slice(0, size), names.names());
}

}  // namespace topology

}}  // namespace collsched::COLLSCHED_ABI
