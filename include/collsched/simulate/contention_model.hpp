#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/detail/shared.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/checked.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/cost/lob.hpp"
#include "collsched/cost/concepts.hpp"
#include "collsched/topology/placement.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// The links of a route, in order, as indices into contention_model::network::links().
using link_route = std::vector<std::int32_t>;

}  // namespace detail

/// A model of messages that share links. A message waits for the latencies of its route. Then its bytes pass all links
/// of the route at the same time, at a rate that depends on the other messages on these links. Rates are max-min fair:
/// no rate can increase without a decrease of a rate that is equal or smaller. Messages between ranks on one node pass
/// the links within it, in the same way.
///
/// A processor is busy at either end of a message for its node's overhead and for `overhead_byte_fs` per byte, and for
/// `copy_fs` and `combine_fs` per byte copied and combined. It starts all sends and receives that are ready in turns, a
/// send first, then copies and combines, and only then takes the next message that has arrived.
///
/// Three protocols, by the size of a message in bytes. Up to `eager_bytes`, it departs when it is sent, and its sender
/// continues. Up to `buffered_bytes`, its sender continues, and it departs when its receive is posted. Larger ones depart
/// then too, and the sender waits for their last byte.
///
/// With `latency_weighted` the share of a message is inversely proportional to the latency of its route, as among TCP
/// connections, plus `share_bytes` divided by the bandwidth of each link. With `reverse_permille` a message also uses this
/// fraction of its rate in the reverse direction, for acknowledgements. With `window_bytes` its rate is at most this number
/// of bytes per two latencies of its route.
/// Source: the flow model of SimGrid (its network models CM02 and SMPI).
struct contention_model {
    /// A network of nodes and links, with the route of links from each node to each other node.
    class network {
      public:
        /// One direction of a cable, with its costs.
        struct link {
            lob_model::link_cost cost{};  ///< latency, and femtoseconds per byte
            bool shared = true;           ///< whether messages share its bandwidth; else each message has all of it
            bool operator==(const link&) const = default;
        };

        /// Appends the route between two different nodes, in order.
        using router = std::function<void(rank_t from, rank_t to, std::vector<std::int32_t>& route)>;

        /// Constructs a network without nodes.
        network() = default;
        /// Constructs a network without nodes whose check() returns `error`.
        /// @param error  an error
        explicit network(const argument_error& error) : error_(error) {}
        /// Constructs a network of links. Failure: check() reports a negative cost.
        /// @param nodes  number of nodes
        /// @param links  all links, each in one direction
        /// @param find   appends the indices of the links of a route
        network(rank_t nodes, std::vector<link> links, router find)
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

        /// Returns the network whose nodes are the ranks of a placement. Routes between nodes are those of this network,
        /// and the links within nodes with several ranks are added. O(links + ranks + nodes).
        /// @pre no error in the arguments
        /// @param where   placement on the nodes of this network
        /// @param inside  links within nodes: one for all nodes, or one per node
        network placed(const topology::placement& where, std::span<const intra_node_links> inside) const;

        argument_error check() const { return error_; }

      private:
        rank_t nodes_ = 0;
        std::vector<link> links_;
        router find_;
        argument_error error_;
    };
    /// Factors of the latency and of the rate of messages above a size, in millionths.
    struct size_factor {
        static constexpr std::int64_t least_ppm = 100'000, most_ppm = 100'000'000;  ///< range of both factors
        bytes_t above = 0;                                                          ///< in bytes, the envelope included
        std::int64_t latency_ppm = 1'000'000;                                       ///< of the latency of the route
        std::int64_t bandwidth_ppm = 1'000'000;  ///< of the rate at which links pass the bytes of a message
        bool operator==(const size_factor&) const = default;
    };

    network net{};                                 ///< nodes, links and routes
    topology::placement placement{};               ///< node of each rank
    owned_array<picoseconds> overheads_ps{};       ///< per node; empty: all 0
    owned_array<intra_node_links> intra_nodes{1};  ///< links within nodes: one for all nodes, or one per node
    std::int64_t overhead_byte_fs = 0;  ///< femtoseconds of overhead per byte of a message at both ends, 0 or more
    std::int64_t copy_fs = 0;           ///< femtoseconds per byte of a local copy, 0 or more
    std::int64_t combine_fs = 0;        ///< femtoseconds per byte of a combination, 0 or more
    bytes_t eager_bytes = 65536;        ///< largest message that departs when it is sent; -1: none does
    bytes_t buffered_bytes = 0;         ///< largest message whose sender continues, if it is above `eager_bytes`
    std::int64_t synchronous_free = 0;  ///< 1: messages above both limits cost their receivers no overhead
    std::int64_t reverse_permille = 0;  ///< part of a rate, in thousandths, used in the reverse direction, 0 to 1000
    std::int64_t latency_weighted = 0;  ///< 1: shares are inversely proportional to the latency of the route
    bytes_t share_bytes = 0;            ///< bytes whose time on each link adds to that latency, 0 or more
    bytes_t window_bytes = 0;           ///< largest number of bytes per two latencies of the route; 0: no limit
    bytes_t envelope_bytes = 0;         ///< bytes that travel with every message, 0 to 2^20
    owned_array<size_factor> size_factors{};  ///< by increasing `above`; smaller messages have factors of 1

    /// Returns the parameters that SimGrid's MPI has by default, without network, placement and overheads.
    /// Source: SimGrid 3.32, the documentation of its network model SMPI.
    static contention_model smpi() {
        constexpr size_factor factors[] = {
            {0, 2'014'670, 812'084},    {257, 1'953'410, 338'112},   {732, 1'950'300, 341'987},
            {1426, 1'610'750, 608'902}, {3484, 1'881'010, 774'930},  {5776, 2'187'960, 1'087'390},
            {9376, 2'592'990, 587'290}, {15424, 3'488'450, 697'866}, {65472, 11'643'600, 940'694}};
        contention_model model;
        model.eager_bytes = -1;
        model.buffered_bytes = 65535;
        model.synchronous_free = 1;
        model.reverse_permille = 50;
        model.latency_weighted = 1;
        model.share_bytes = 8775;
        model.window_bytes = 4'194'304;
        model.envelope_bytes = 16;
        model.size_factors = owned_array<size_factor>(std::ssize(factors));
        for (std::int64_t i = 0; i < std::ssize(factors); ++i) model.size_factors[i] = factors[i];
        return model;
    }

    /// Returns the number of ranks.
    rank_t ranks() const { return placement.ranks(); }
    /// Returns the network of the ranks, see network::placed().
    network rank_network() const { return net.placed(placement, intra_nodes); }
    /// Returns the processor time of a message at one end.
    /// @param r  rank, 0 .. ranks()-1
    /// @return picoseconds, 0 or more
    picoseconds overhead(rank_t r) const { return overheads_ps.empty() ? 0 : overheads_ps[placement.node(r)]; }
    /// Returns whether a message departs when it is sent.
    /// @param bytes  size of the message without its envelope, 0 or more
    bool is_eager(bytes_t bytes) const { return bytes <= eager_bytes; }
    /// Returns whether the sender of a message waits for its last byte.
    /// @param bytes  size of the message without its envelope, 0 or more
    bool is_synchronous(bytes_t bytes) const { return bytes > std::max(eager_bytes, buffered_bytes); }
    /// Returns the factors of a message.
    /// @param bytes  size of the message without its envelope, 0 or more
    size_factor factor(bytes_t bytes) const {
        size_factor found;
        for (std::int64_t i = 0; i < size_factors.size() && size_factors[i].above - envelope_bytes < bytes; ++i)
            found = size_factors[i];
        return found;
    }
    /// Returns the first error in placement, network or parameters, or no error. O(nodes).
    argument_error check() const {
        if (argument_error error = placement.check()) return error;
        if (argument_error error = net.check()) return error;
        if (net.nodes() < 1) return {"links", 0, "a network with links"};
        if (placement.nodes() != net.nodes())
            return {"nodes", placement.nodes(), "as many in the placement as in the network"};
        if (!overheads_ps.empty() && overheads_ps.size() != net.nodes())
            return {"overheads_ps", overheads_ps.size(), "one for each node, or none"};
        for (rank_t c = 0; c < overheads_ps.size(); ++c)
            if (overheads_ps[c] < 0) return {"overheads_ps", overheads_ps[c], "0 ps or more", c};
        if (intra_nodes.size() != 1 && intra_nodes.size() != net.nodes())
            return {"intra_nodes", intra_nodes.size(), "one for all nodes, or one per node"};
        for (const intra_node_links& inside : intra_nodes)
            if (argument_error error = inside.check()) return error;
        if (eager_bytes < -1) return {"eager_bytes", eager_bytes, "-1 (none) or more"};
        for (const auto& [name, value] : {std::pair{"overhead_byte_fs", overhead_byte_fs},
                                          {"copy_fs", copy_fs},
                                          {"combine_fs", combine_fs},
                                          {"buffered_bytes", buffered_bytes},
                                          {"share_bytes", share_bytes},
                                          {"window_bytes", window_bytes},
                                          {"envelope_bytes", envelope_bytes}})
            if (value < 0) return {name, value, "0 or more"};
        if (envelope_bytes > largest_envelope) return {"envelope_bytes", envelope_bytes, "at most 2^20"};
        for (const auto& [name, value] :
             {std::pair{"latency_weighted", latency_weighted}, {"synchronous_free", synchronous_free}})
            if (value != 0 && value != 1) return {name, value, "0 or 1"};
        if (reverse_permille < 0 || reverse_permille > 1000) return {"reverse_permille", reverse_permille, "0 to 1000"};
        return check_factors();
    }

  private:
    static constexpr bytes_t largest_envelope = 1 << 20;

    argument_error check_factors() const {
        bytes_t above = -1;
        for (std::int64_t i = 0; i < size_factors.size(); ++i) {
            const size_factor& factor = size_factors[i];
            if (factor.above <= above) return {"size_factors", factor.above, "sizes that increase, from 0", i};
            above = factor.above;
            for (const std::int64_t ppm : {factor.latency_ppm, factor.bandwidth_ppm})
                if (ppm < size_factor::least_ppm || ppm > size_factor::most_ppm)
                    return {"size_factors", ppm, "0.1 to 100, in millionths", i};
        }
        return {};
    }
};

namespace detail {

/// The links within nodes with several ranks, which follow the links of a network, and the routes over them.
class intra_node_routes {
  public:
    using links = std::vector<contention_model::network::link>;

    /// @param all  the links of the network, to which those within nodes are appended
    intra_node_routes(const topology::placement& where, std::span<const intra_node_links> inside, links& all)
        : where_(where),
          inside_(inside),
          rank_link_(where.ranks()),
          memory_(where.nodes()),
          socket_link_(where.nodes()),
          local_(where.local_ranks()),
          residents_(where.residents()) {
        for (rank_t c = 0; c < where.nodes(); ++c) {
            if (residents_[c] < 2) continue;
            const intra_node_links& node = at(c);
            if (node.shared) memory_[c] = append(all, {{0, node.rank_link.byte_fs}});
            for (rank_t s = 0; node.sockets > 1 && s < node.sockets; ++s) {
                const std::int32_t first = append_cable(all, node.socket_link);
                if (s == 0) socket_link_[c] = first;
            }
        }
        for (rank_t r = 0; r < where.ranks(); ++r)
            if (residents_[where.node(r)] > 1) rank_link_[r] = append_cable(all, at(where.node(r)).rank_link);
    }

    rank_t node(rank_t r) const { return where_.node(r); }
    /// Appends the route between two ranks of a node.
    void append(rank_t from, rank_t to, link_route& route) const {
        const rank_t c = where_.node(from), residents = residents_[c];
        const rank_t out = at(c).socket(local_[from], residents), in = at(c).socket(local_[to], residents);
        const auto socket = [&](rank_t s) { return socket_link_[c] + static_cast<std::int32_t>(2 * s); };
        route.push_back(rank_link_[from]);
        if (out != in) route.push_back(socket(out));
        if (at(c).shared) route.push_back(memory_[c]);
        if (out != in) route.push_back(socket(in) + 1);
        route.push_back(rank_link_[to] + 1);
    }

  private:
    const intra_node_links& at(rank_t c) const { return inside_[inside_.size() == 1 ? 0 : c]; }
    static std::int32_t append(links& all, const contention_model::network::link& link) {
        all.push_back(link);
        return static_cast<std::int32_t>(all.size()) - 1;
    }
    /// Appends a link out, which has the latency, and one in. Returns the first.
    static std::int32_t append_cable(links& all, const link_cost& cost) {
        const std::int32_t first = append(all, {cost});
        append(all, {{0, cost.byte_fs}});
        return first;
    }

    topology::placement where_;
    owned_array<intra_node_links> inside_;
    owned_array<std::int32_t> rank_link_, memory_,
        socket_link_;  // the first of each cable, and of the sockets of a node
    owned_array<rank_t> local_, residents_;
};

}  // namespace detail

inline contention_model::network contention_model::network::placed(const topology::placement& where,
                                                                   std::span<const intra_node_links> inside) const {
    std::vector<link> links = links_;
    const auto within = detail::shared<detail::intra_node_routes>(detail::intra_node_routes(where, inside, links));
    return {where.ranks(), std::move(links), [find = find_, within](rank_t from, rank_t to, detail::link_route& route) {
                const rank_t source = within->node(from), target = within->node(to);
                if (source == target) within->append(from, to, route);
                else find(source, target, route);
            }};
}

/// Returns the network of a tree. Each link has two independent directions. node_links[c] is the cost of the link of
/// node c, uplinks[e] that of the link from switch e to its parent (ignored for the root).
/// @param tree        nodes and switches
/// @param node_links  costs of node links, one per node
/// @param uplinks     costs of uplinks, one per switch
inline contention_model::network tree_network(const topology::switch_tree& tree,
                                              std::span<const lob_model::link_cost> node_links,
                                              std::span<const lob_model::link_cost> uplinks) {
    std::vector<contention_model::network::link> links;
    for (const std::span<const lob_model::link_cost> part : {node_links, uplinks})
        for (const lob_model::link_cost& cost : part) links.insert(links.end(), 2, {cost});
    return {tree.nodes(), std::move(links), [tree](rank_t from, rank_t to, detail::link_route& route) {
                const rank_t common_switch = tree.common_switch(from, to), nodes = tree.nodes();
                const auto append = [&](rank_t part, int direction) {
                    route.push_back(static_cast<std::int32_t>(2 * part + direction));
                };
                append(from, 0);
                for (rank_t e = tree.home(from); e != common_switch; e = tree.parent(e)) append(nodes + e, 0);
                const auto middle = std::ssize(route);
                append(to, 1);
                for (rank_t e = tree.home(to); e != common_switch; e = tree.parent(e)) append(nodes + e, 1);
                std::reverse(route.begin() + middle, route.end());
            }};
}

/// Returns the network in which every ordered pair of nodes has a link of its own, with the pair's latency and
/// bandwidth. Messages share a link only if they have the same source and the same destination. O(nodes^2) memory.
/// @param cost  latencies and bandwidths of all pairs
/// @return the network. Failure: a network without nodes whose check() reports more than 2048 nodes.
inline contention_model::network pair_network(const lob_model& cost) {
    constexpr rank_t most = 2048;
    const rank_t nodes = cost.ranks();
    if (nodes > most)
        return contention_model::network({"nodes", nodes, "at most 2048 of a network with a link for each pair"});
    std::vector<contention_model::network::link> links;
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
