#pragma once

#include <cstdint>
#include <span>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/checked.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/topology/detail/cables.hpp"
#include "collsched/topology/network.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// Most links of a network that a function builds: half a gigabyte.
inline constexpr std::int64_t most_network_links = std::int64_t{1} << 24;

/// An error if a parameter is below its least value, or if a network is too large for memory.
class shape_check {
  public:
    /// Requires `value` to be in least .. 2^24.
    constexpr shape_check& at_least(const char* argument, std::int64_t value, std::int64_t least,
                                    const char* expected) {
        if (!error_ && (value < least || value > most_network_links)) error_ = {argument, value, expected};
        return *this;
    }
    /// Requires at most 2^24 links. `value` is the parameter that the error names.
    constexpr shape_check& links(const char* argument, std::int64_t value, checked count) {
        if (!error_ && (!count.ok() || count.value() > most_network_links))
            error_ = {argument, value, "at most 2^24 links"};
        return *this;
    }
    /// Requires rates that a network accepts.
    constexpr shape_check& rates(const topology::network::cable& cable, std::int64_t index = -1) {
        if (!error_ && cable.bandwidth < 1) error_ = {"bandwidth", cable.bandwidth, "1 byte per second or more", index};
        if (!error_ && cable.latency < 0) error_ = {"latency", cable.latency, "0 picoseconds or more", index};
        return *this;
    }
    constexpr argument_error error() const { return error_; }

  private:
    argument_error error_;
};

/// The links of a network, of which there are at most a given number.
class link_list {
  public:
    constexpr explicit link_list(std::int64_t most) : links_(most) {}

    /// Adds one direction.
    constexpr void link(rank_t from, rank_t to, const topology::network::cable& cable) {
        links_[size_++] = {from, to, cable.bandwidth, cable.latency};
    }
    /// Adds both directions.
    constexpr void connect(rank_t a, rank_t b, const topology::network::cable& cable) {
        link(a, b, cable);
        link(b, a, cable);
    }
    constexpr topology::network build(rank_t ranks, rank_t switches) const {
        return topology::network(ranks, switches, links_.slice(0, size_));
    }

  private:
    owned_array<topology::network::link> links_;
    std::int64_t size_ = 0;
};

/// Returns a grid whose last coordinate varies fastest. `cables` has one element, or one for each dimension.
constexpr topology::network grid_network(std::span<const rank_t> sizes,
                                         std::span<const topology::network::cable> cables, bool wraps) {
    const auto dimensions = static_cast<std::int64_t>(sizes.size()),
               cable_count = static_cast<std::int64_t>(cables.size());
    if (cable_count != 1 && cable_count != dimensions)
        return topology::network({"cables", cable_count, "one cable, or one per dimension"});
    checked ranks = 1;
    const auto count = [&] { return ranks * 2 * dimensions; };
    shape_check shape;
    for (std::int64_t d = 0; d < cable_count; ++d)
        shape.rates(cables[static_cast<std::size_t>(d)], cable_count > 1 ? d : -1);
    for (std::int64_t d = 0; d < dimensions && !shape.error(); ++d) {
        const rank_t size = sizes[static_cast<std::size_t>(d)];
        if (size < 1) return topology::network({"sizes", size, "1 or more", d});
        ranks = ranks * size;
        if (!count().ok() || count().value() > most_network_links)
            return topology::network({"sizes", size, "at most 2^24 links", d});
    }
    if (shape.error()) return topology::network(shape.error());
    owned_array<rank_t> fastest_first(dimensions);
    for (std::int64_t d = 0; d < dimensions; ++d)
        fastest_first[d] = sizes[static_cast<std::size_t>(dimensions - 1 - d)];
    link_list links(count().value());
    torus_cables(fastest_first, wraps).for_each_cable([&](rank_t number, rank_t a, rank_t b) {
        const rank_t dimension = dimensions - 1 - number % dimensions;
        links.connect(a, b, cables[cable_count == 1 ? 0 : static_cast<std::size_t>(dimension)]);
    });
    return links.build(ranks.value(), 0);
}

}  // namespace detail

namespace topology {

/// Shape of a fat tree with two levels.
struct network::leaf_spine_shape {
    rank_t leaves = 1;              ///< number of leaf switches, 1 or more
    rank_t ranks_per_leaf = 1;      ///< 1 or more
    rank_t spines = 1;              ///< number of spine switches, 1 or more
    rank_t uplinks = 1;             ///< number of cables between each leaf and each spine, 1 or more
    network::cable rank_cable{};    ///< between a rank and its leaf
    network::cable uplink_cable{};  ///< between a leaf and a spine
};

/// Shape of a dragonfly.
struct network::dragonfly_shape {
    rank_t groups = 1;              ///< number g of groups, 1 .. switches_per_group * global_cables + 1
    rank_t switches_per_group = 1;  ///< number a of switches, 1 or more
    rank_t ranks_per_switch = 1;    ///< 1 or more
    rank_t global_cables = 1;       ///< most cables h from each switch to other groups, 0 or more
    network::cable rank_cable{};    ///< between a rank and its switch
    network::cable local_cable{};   ///< between switches of a group
    network::cable global_cable{};  ///< between groups
};

/// Shape of a network of boxes with several accelerators.
struct network::boxes_shape {
    rank_t boxes = 1;             ///< number b of boxes, 1 or more
    rank_t ranks_per_box = 1;     ///< number g of ranks, 1 or more
    rank_t nics_per_box = 1;      ///< number n of network interfaces, 1 or more, or 0 for a single box
    rank_t rails = 1;             ///< number of common switches, 1 or more
    network::cable rank_cable{};  ///< between a rank and the switch of its box
    network::cable nic_cable{};   ///< between a rank and a network interface
    network::cable rail_cable{};  ///< between a network interface and a common switch
};

/// Functions that build networks. A wrong parameter is reported by check() of the network, which then is empty. A
/// network of these functions has at most 2^24 links, and no names. O(links).
namespace networks {

/// Returns a mesh: each rank has a cable to its neighbors in every dimension. The last coordinate varies fastest: rank
/// 1 is (0, ..., 0, 1), as in `torus`.
/// @param sizes   number of ranks along each dimension, each 1 or more
/// @param cables  the cable of each dimension
/// @return network of the product of `sizes` ranks
constexpr network mesh(std::span<const rank_t> sizes, std::span<const network::cable> cables) {
    return collsched::detail::grid_network(sizes, cables, false);
}
/// Returns a mesh whose cables are equal.
/// @param sizes  number of ranks along each dimension, each 1 or more
/// @param cable  every cable
/// @return network of the product of `sizes` ranks
constexpr network mesh(std::span<const rank_t> sizes, const network::cable& cable) {
    return collsched::detail::grid_network(sizes, {&cable, 1}, false);
}

/// Returns a torus: a mesh with a cable from the last rank of each dimension to the first. A dimension of two ranks has
/// one cable, as in a mesh. The last coordinate varies fastest. In a torus of SimGrid the first varies fastest.
/// @param sizes   number of ranks along each dimension, each 1 or more
/// @param cables  the cable of each dimension
/// @return network of the product of `sizes` ranks
constexpr network torus(std::span<const rank_t> sizes, std::span<const network::cable> cables) {
    return collsched::detail::grid_network(sizes, cables, true);
}
/// Returns a torus whose cables are equal.
/// @param sizes  number of ranks along each dimension, each 1 or more
/// @param cable  every cable
/// @return network of the product of `sizes` ranks
constexpr network torus(std::span<const rank_t> sizes, const network::cable& cable) {
    return collsched::detail::grid_network(sizes, {&cable, 1}, true);
}

/// Returns a ring: rank r has a cable to rank (r + 1) mod `ranks`. Two ranks have one cable.
/// @param ranks  1 or more
/// @param cable  every cable
/// @return network of `ranks` ranks
constexpr network ring(rank_t ranks, const network::cable& cable) {
    if (ranks < 1 || ranks > collsched::detail::most_network_links / 2) return network({"ranks", ranks, "1 to 2^23"});
    const rank_t sizes[] = {ranks};
    return torus(sizes, cable);
}

/// Returns a hypercube: rank r has a cable to rank r XOR 2^k for each dimension k.
/// @param dimensions  0 or more
/// @param cable       every cable
/// @return network of 2^dimensions ranks
constexpr network hypercube(rank_t dimensions, const network::cable& cable) {
    if (dimensions < 0 || dimensions > 19) return network({"dimensions", dimensions, "0 to 19"});
    const rank_t ranks = rank_t{1} << dimensions;
    if (const argument_error error = collsched::detail::shape_check().rates(cable).error()) return network(error);
    collsched::detail::link_list links(ranks * dimensions);
    for (rank_t r = 0; r < ranks; ++r)
        for (rank_t bit = 1; bit < ranks; bit *= 2)
            if ((r & bit) == 0) links.connect(r, r + bit, cable);
    return links.build(ranks, 0);
}

/// Returns a network in which each pair of ranks has a cable.
/// @param ranks  1 or more
/// @param cable  every cable
/// @return network of `ranks` ranks and ranks * (ranks - 1) links
constexpr network fully_connected(rank_t ranks, const network::cable& cable) {
    if (ranks < 1 || ranks > 4096) return network({"ranks", ranks, "1 to 4096"});
    if (const argument_error error = collsched::detail::shape_check().rates(cable).error()) return network(error);
    collsched::detail::link_list links(ranks * (ranks - 1));
    for (rank_t a = 0; a < ranks; ++a)
        for (rank_t b = a + 1; b < ranks; ++b) links.connect(a, b, cable);
    return links.build(ranks, 0);
}

/// Returns a generalized Kautz graph: rank i has a link, of one direction, to each rank -(i * degree + k) mod ranks,
/// k = 1 .. degree. It has a diameter of at most ceil(log_degree(ranks)). Links from a rank to itself are omitted.
///
/// Source: Imase, Itoh, "Design to minimize diameter on building-block network", 1981.
/// @param ranks   2 or more
/// @param degree  number of links from each rank and to each rank, 1 .. ranks-1
/// @param cable   rates of each link
/// @return network of `ranks` ranks and at most ranks * degree links
constexpr network generalized_kautz(rank_t ranks, rank_t degree, const network::cable& cable) {
    collsched::detail::shape_check shape;
    shape.at_least("ranks", ranks, 2, "2 to 2^24").links("degree", degree, checked(ranks) * degree).rates(cable);
    if (shape.error()) return network(shape.error());
    if (degree < 1 || degree >= ranks) return network({"degree", degree, "1 to ranks - 1"});
    collsched::detail::link_list links(ranks * degree);
    for (rank_t i = 0; i < ranks; ++i)
        for (rank_t k = 1; k <= degree; ++k)
            if (const rank_t to = (ranks - (i * degree + k) % ranks) % ranks; to != i) links.link(i, to, cable);
    return links.build(ranks, 0);
}

/// Returns a fat tree with two levels: rank r is at leaf r / ranks_per_leaf, and each leaf is connected to each spine.
/// The switches are the leaves, then the spines. With equal cables the uplinks of a leaf are oversubscribed by
/// ranks_per_leaf : spines * uplinks.
/// @param shape  numbers and rates
/// @return network of leaves * ranks_per_leaf ranks
constexpr network leaf_spine(const network::leaf_spine_shape& shape) {
    const checked ranks = checked(shape.leaves) * shape.ranks_per_leaf;
    const checked pairs = checked(shape.leaves) * shape.spines * shape.uplinks, count = (ranks + pairs) * 2;
    collsched::detail::shape_check check;
    check.at_least("leaves", shape.leaves, 1, "1 to 2^24")
        .at_least("ranks_per_leaf", shape.ranks_per_leaf, 1, "1 to 2^24")
        .at_least("spines", shape.spines, 1, "1 to 2^24")
        .at_least("uplinks", shape.uplinks, 1, "1 to 2^24")
        .links("leaves", shape.leaves, count)
        .rates(shape.rank_cable)
        .rates(shape.uplink_cable);
    if (check.error()) return network(check.error());
    const rank_t spine = ranks.value() + shape.leaves;
    collsched::detail::link_list links(count.value());
    const rank_t down[] = {shape.ranks_per_leaf, shape.leaves}, up[] = {1, shape.spines}, cables[] = {1, shape.uplinks};
    collsched::detail::fat_tree_cables(down, up, cables).for_each_cable([&](rank_t, rank_t a, rank_t b) {
        links.connect(a, b, b < spine ? shape.rank_cable : shape.uplink_cable);
    });
    return links.build(ranks.value(), shape.leaves + shape.spines);
}

/// Returns a k-ary fat tree with three levels of switches of k ports, without oversubscription. It has k pods of k/2
/// edge and k/2 aggregation switches, and (k/2)^2 core switches. Aggregation switch a of each pod is connected to core
/// switches a * k/2 .. (a+1) * k/2 - 1. The switches are all edge switches, all aggregation switches, both pod by pod,
/// and the core switches. Rank r is at edge switch r / (k/2).
///
/// Source: Al-Fares, Loukissas, Vahdat, "A scalable, commodity data center network architecture", 2008.
/// @param ports  number k of ports of each switch, even, 2 .. 222
/// @param cable  every cable
/// @return network of k^3 / 4 ranks
constexpr network fat_tree(rank_t ports, const network::cable& cable) {
    if (ports < 2 || ports > 222 || ports % 2 != 0) return network({"ports", ports, "an even number, 2 to 222"});
    if (const argument_error error = collsched::detail::shape_check().rates(cable).error()) return network(error);
    const rank_t half = ports / 2, per_level = ports * half, ranks = per_level * half;
    const rank_t core = ranks + 2 * per_level, down[] = {half, half, ports}, up[] = {1, half, half},
                 cables[] = {1, 1, 1};
    collsched::detail::link_list links(ranks * 6);
    collsched::detail::fat_tree_cables(down, up, cables).for_each_cable([&](rank_t, rank_t a, rank_t b) {
        links.connect(a, b < core ? b : core + (b - core) % half * half + (b - core) / half, cable);
    });
    return links.build(ranks, 2 * per_level + half * half);
}

/// Returns a dragonfly: each pair of switches of a group has a cable, and each pair of groups has
/// floor(a * h / (g - 1)) cables. Those of a group to the other groups, by ascending group, are spread over its
/// switches: h on the first, h on the next. Rank r is at switch r / ranks_per_switch, and switch s is in group
/// s / switches_per_group.
///
/// Source: Kim, Dally, Scott, Abts, "Technology-driven, highly-scalable dragonfly topology", 2008.
/// @param shape  numbers and rates
/// @return network of groups * switches_per_group * ranks_per_switch ranks
constexpr network dragonfly(const network::dragonfly_shape& shape) {
    const rank_t g = shape.groups, a = shape.switches_per_group, h = shape.global_cables;
    const checked switches = checked(g) * a, ranks = switches * shape.ranks_per_switch;
    const checked links_in_groups = switches * (checked(a) + -1), most_global = switches * h;
    const checked count = ranks * 2 + links_in_groups + most_global;
    collsched::detail::shape_check check;
    check.at_least("groups", g, 1, "1 to 2^24")
        .at_least("switches_per_group", a, 1, "1 to 2^24")
        .at_least("ranks_per_switch", shape.ranks_per_switch, 1, "1 to 2^24")
        .at_least("global_cables", h, 0, "0 to 2^24")
        .links("groups", g, count)
        .rates(shape.rank_cable)
        .rates(shape.local_cable)
        .rates(shape.global_cable);
    if (check.error()) return network(check.error());
    if (g - 1 > a * h) return network({"groups", g, "1 to switches_per_group * global_cables + 1"});
    collsched::detail::link_list links(count.value());
    for (rank_t r = 0; r < ranks.value(); ++r)
        links.connect(r, ranks.value() + r / shape.ranks_per_switch, shape.rank_cable);
    for (rank_t s = 0; s < switches.value(); ++s)
        for (rank_t t = s + 1; t < (s / a + 1) * a; ++t)
            links.connect(ranks.value() + s, ranks.value() + t, shape.local_cable);
    const rank_t per_pair = g > 1 ? a * h / (g - 1) : 0;
    const auto end = [&](rank_t group, rank_t other, rank_t c) {
        const rank_t position = (other < group ? other : other - 1) * per_pair + c;
        return ranks.value() + group * a + position / h;
    };
    for (rank_t i = 0; i < g; ++i)
        for (rank_t j = i + 1; j < g; ++j)
            for (rank_t c = 0; c < per_pair; ++c) links.connect(end(i, j, c), end(j, i, c), shape.global_cable);
    return links.build(ranks.value(), switches.value());
}

/// Returns boxes of ranks, each with a switch and with network interfaces, which are switches, too. Interface j of each
/// box is connected to common switch j mod rails. Rank i of a box uses its interface floor(i * n / g), and interface j
/// serves rank floor(j * g / n) if n > g. The switches are those of the boxes, the common ones and the interfaces, box
/// by box. Without interfaces there are no common switches.
/// @param shape  numbers and rates
/// @return network of boxes * ranks_per_box ranks
constexpr network boxes(const network::boxes_shape& shape) {
    const rank_t g = shape.ranks_per_box, n = shape.nics_per_box, wider = g > n ? g : n;
    const checked ranks = checked(shape.boxes) * g, nics = checked(shape.boxes) * n;
    const checked count = (ranks + nics + checked(shape.boxes) * (n > 0 ? wider : 0)) * 2;
    collsched::detail::shape_check check;
    check.at_least("boxes", shape.boxes, 1, "1 to 2^24")
        .at_least("ranks_per_box", g, 1, "1 to 2^24")
        .at_least("nics_per_box", n, shape.boxes > 1 ? 1 : 0, "1 to 2^24, or 0 for a single box")
        .at_least("rails", shape.rails, 1, "1 to 2^24")
        .links("boxes", shape.boxes, count)
        .rates(shape.rank_cable)
        .rates(shape.nic_cable)
        .rates(shape.rail_cable);
    if (check.error()) return network(check.error());
    const rank_t rails = n > 0 ? shape.rails : 0;
    const rank_t first_rail = ranks.value() + shape.boxes, first_nic = first_rail + rails;
    collsched::detail::link_list links(count.value());
    for (rank_t b = 0; b < shape.boxes; ++b) {
        for (rank_t i = 0; i < g; ++i) links.connect(b * g + i, ranks.value() + b, shape.rank_cable);
        for (rank_t k = 0; n > 0 && k < wider; ++k)
            links.connect(b * g + (n > g ? k * g / n : k), first_nic + b * n + (n > g ? k : k * n / g),
                          shape.nic_cable);
        for (rank_t j = 0; j < n; ++j) links.connect(first_nic + b * n + j, first_rail + j % rails, shape.rail_cable);
    }
    return links.build(ranks.value(), shape.boxes + rails + nics.value());
}

}  // namespace networks

}  // namespace topology

}}  // namespace collsched::COLLSCHED_ABI
