#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "collsched/core/checked.hpp"
#include "collsched/core/argument_error.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/cost/lob.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// The links of a route, in order, as indices into link_network::links().
using link_route = std::vector<std::int32_t>;

}  // namespace detail

/// A network of nodes and links, with the route of links from each node to each other node.
class link_network {
  public:
    /// One direction of a cable, with its costs.
    struct link {
        lob_model::link_cost cost{};  ///< latency, and femtoseconds per byte
        bool shared = true;  ///< whether messages share its bandwidth; otherwise each message has the whole bandwidth
        bool operator==(const link&) const = default;
    };

    /// Appends the route between two different nodes, in order.
    using router = std::function<void(rank_t from, rank_t to, std::vector<std::int32_t>& route)>;

    /// Constructs a network without nodes.
    link_network() = default;
    /// Constructs a network without nodes whose check() returns `error`.
    /// @param error  an error
    explicit link_network(const argument_error& error) : error_(error) {}
    /// Constructs a network of links. Failure: check() reports a negative cost.
    /// @param nodes  number of nodes
    /// @param links  all links, each in one direction
    /// @param find   appends the indices of the links of a route
    link_network(rank_t nodes, std::vector<link> links, router find)
        : nodes_(nodes), links_(std::move(links)), find_(std::move(find)) {
        for (std::size_t i = 0; i < links_.size() && !error_; ++i)
            if (links_[i].cost.byte_fs < 0 || links_[i].cost.latency_ps < 0)
                error_ = {"links", std::min(links_[i].cost.byte_fs, links_[i].cost.latency_ps), "0 or more",
                          static_cast<std::int64_t>(i)};
    }

    /// Returns the number of nodes.
    rank_t nodes() const { return nodes_; }
    /// Returns all links.
    /// @return links, valid as long as the network
    std::span<const link> links() const { return links_; }
    /// Returns link i.
    /// @param i  index, 0 .. links().size()-1
    const link& operator[](std::int32_t i) const { return links_[static_cast<std::size_t>(i)]; }

    /// Returns the route between two nodes; empty from a node to itself.
    /// @param from  node, 0 .. nodes()-1
    /// @param to    node, 0 .. nodes()-1
    /// @return indices of links, in order
    detail::link_route route(rank_t from, rank_t to) const {
        detail::link_route found;
        if (from != to) find_(from, to, found);
        return found;
    }
    /// Returns the cost of a single message: the sum of latencies (2^63-1 at most), and the bandwidth of the slowest
    /// link.
    /// @param route  indices of links
    lob_model::link_cost cost(std::span<const std::int32_t> route) const {
        lob_model::link_cost sum;
        for (const std::int32_t i : route) {
            sum.latency_ps = detail::saturated(checked(sum.latency_ps) + (*this)[i].cost.latency_ps);
            sum.byte_fs = sum.byte_fs < (*this)[i].cost.byte_fs ? (*this)[i].cost.byte_fs : sum.byte_fs;
        }
        return sum;
    }

    argument_error check() const { return error_; }

  private:
    rank_t nodes_ = 0;
    std::vector<link> links_;
    router find_;
    argument_error error_;
};

/// Returns the network of a tree. Each link has two independent directions. own[c] is the cost of the link of node c,
/// uplinks[e] that of the link from switch e to its parent (ignored for the root).
/// @param tree     nodes and switches
/// @param own      costs of node links, one per node
/// @param uplinks  costs of uplinks, one per switch
inline link_network tree_network(const topology::switch_tree& tree, std::span<const lob_model::link_cost> own,
                                 std::span<const lob_model::link_cost> uplinks) {
    std::vector<link_network::link> links;
    for (const std::span<const lob_model::link_cost> part : {own, uplinks})
        for (const lob_model::link_cost& cost : part) links.insert(links.end(), 2, {cost});
    return {tree.nodes(), std::move(links), [tree](rank_t from, rank_t to, detail::link_route& route) {
                const rank_t meeting = tree.meeting(from, to), nodes = tree.nodes();
                const auto append = [&](rank_t part, int direction) {
                    route.push_back(static_cast<std::int32_t>(2 * part + direction));
                };
                append(from, 0);
                for (rank_t e = tree.home(from); e != meeting; e = tree.parent(e)) append(nodes + e, 0);
                const auto middle = std::ssize(route);
                append(to, 1);
                for (rank_t e = tree.home(to); e != meeting; e = tree.parent(e)) append(nodes + e, 1);
                std::reverse(route.begin() + middle, route.end());
            }};
}

/// Returns the network in which every ordered pair of nodes has a link of its own, with the pair's latency and
/// bandwidth. Messages share a link only if they have the same source and the same destination. O(nodes^2) memory.
/// @param cost  latencies and bandwidths of all pairs
/// @return the network. Failure: a network without nodes whose check() reports more than 2048 nodes.
inline link_network pair_network(const lob_model& cost) {
    constexpr rank_t most = 2048;
    const rank_t nodes = cost.ranks();
    if (nodes > most) return link_network({"nodes", nodes, "at most 2048 of a network with a link for each pair"});
    std::vector<link_network::link> links;
    links.reserve(static_cast<std::size_t>(nodes * nodes));
    for (rank_t from = 0; from < nodes; ++from)
        for (rank_t to = 0; to < nodes; ++to)
            links.push_back({from == to ? lob_model::link_cost{}
                                        : lob_model::link_cost{cost.latency(from, to), cost.byte_fs(from, to)}});
    return {nodes, std::move(links), [nodes](rank_t from, rank_t to, detail::link_route& route) {
                route.push_back(static_cast<std::int32_t>(from * nodes + to));
            }};
}

}}  // namespace collsched::COLLSCHED_ABI
