#pragma once

#include <cstdint>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/checked.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/topology/cable.hpp"
#include "collsched/topology/detail/link_list.hpp"
#include "collsched/topology/network.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace topology { namespace networks {

/// Shape of a fat tree with two levels.
struct leaf_spine_shape {
    rank_t leaves = 1;          ///< number of leaf switches, 1 or more
    rank_t ranks_per_leaf = 1;  ///< 1 or more
    rank_t spines = 1;          ///< number of spine switches, 1 or more
    rank_t uplinks = 1;         ///< number of cables between each leaf and each spine, 1 or more
    cable rank_cable{};         ///< between a rank and its leaf
    cable uplink_cable{};       ///< between a leaf and a spine
};
/// Returns a fat tree with two levels: rank r is at leaf r / ranks_per_leaf, and each leaf is connected to each spine.
/// The switches are the leaves, then the spines. With equal cables the uplinks of a leaf are oversubscribed by
/// ranks_per_leaf : spines * uplinks.
/// @param shape  numbers and rates
/// @return network of leaves * ranks_per_leaf ranks
constexpr network leaf_spine(const leaf_spine_shape& shape) {
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
    const rank_t leaf = ranks.value(), spine = leaf + shape.leaves;
    collsched::detail::link_list links(count.value());
    for (rank_t r = 0; r < ranks.value(); ++r) links.both(r, leaf + r / shape.ranks_per_leaf, shape.rank_cable);
    for (rank_t l = 0; l < shape.leaves; ++l)
        for (rank_t s = 0; s < shape.spines; ++s)
            for (rank_t c = 0; c < shape.uplinks; ++c) links.both(leaf + l, spine + s, shape.uplink_cable);
    return links.build(ranks.value(), shape.leaves + shape.spines);
}

/// Returns a k-ary fat tree with three levels of switches of k ports, without oversubscription. It has k pods of k/2
/// edge and k/2 aggregation switches, and (k/2)^2 core switches. Aggregation switch a of each pod is connected to core
/// switches a * k/2 .. (a+1) * k/2 - 1. The switches are all edge switches, all aggregation switches, both pod by pod,
/// and the core switches. Rank r is at edge switch r / (k/2).
///
/// Source: Al-Fares, Loukissas, Vahdat, "A scalable, commodity data center network architecture", 2008.
/// @param ports  number k of ports of each switch, even, 2 .. 222
/// @param of     every cable
/// @return network of k^3 / 4 ranks
constexpr network fat_tree(rank_t ports, const cable& of) {
    if (ports < 2 || ports > 222 || ports % 2 != 0) return network({"ports", ports, "an even number, 2 to 222"});
    if (const argument_error error = collsched::detail::shape_check().rates(of).error()) return network(error);
    const rank_t half = ports / 2, per_level = ports * half, ranks = per_level * half;
    const rank_t edge = ranks, aggregation = edge + per_level, core = aggregation + per_level;
    collsched::detail::link_list links(ranks * 6);
    for (rank_t r = 0; r < ranks; ++r) links.both(r, edge + r / half, of);
    for (rank_t e = 0; e < per_level; ++e)
        for (rank_t a = 0; a < half; ++a) links.both(edge + e, aggregation + e / half * half + a, of);
    for (rank_t a = 0; a < per_level; ++a)
        for (rank_t c = 0; c < half; ++c) links.both(aggregation + a, core + a % half * half + c, of);
    return links.build(ranks, 2 * per_level + half * half);
}

/// Shape of a dragonfly.
struct dragonfly_shape {
    rank_t groups = 1;              ///< number g of groups, 1 .. switches_per_group * global_cables + 1
    rank_t switches_per_group = 1;  ///< number a of switches, 1 or more
    rank_t ranks_per_switch = 1;    ///< 1 or more
    rank_t global_cables = 1;       ///< most cables h from each switch to other groups, 0 or more
    cable rank_cable{};             ///< between a rank and its switch
    cable local_cable{};            ///< between switches of a group
    cable global_cable{};           ///< between groups
};
/// Returns a dragonfly: each pair of switches of a group has a cable, and each pair of groups has
/// floor(a * h / (g - 1)) cables. Those of a group to the other groups, by ascending group, are spread over its
/// switches: h on the first, h on the next. Rank r is at switch r / ranks_per_switch, and switch s is in group
/// s / switches_per_group.
///
/// Source: Kim, Dally, Scott, Abts, "Technology-driven, highly-scalable dragonfly topology", 2008.
/// @param shape  numbers and rates
/// @return network of groups * switches_per_group * ranks_per_switch ranks
constexpr network dragonfly(const dragonfly_shape& shape) {
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
        links.both(r, ranks.value() + r / shape.ranks_per_switch, shape.rank_cable);
    for (rank_t s = 0; s < switches.value(); ++s)
        for (rank_t t = s + 1; t < (s / a + 1) * a; ++t)
            links.both(ranks.value() + s, ranks.value() + t, shape.local_cable);
    const rank_t per_pair = g > 1 ? a * h / (g - 1) : 0;
    const auto end = [&](rank_t group, rank_t other, rank_t c) {
        const rank_t position = (other < group ? other : other - 1) * per_pair + c;
        return ranks.value() + group * a + position / h;
    };
    for (rank_t i = 0; i < g; ++i)
        for (rank_t j = i + 1; j < g; ++j)
            for (rank_t c = 0; c < per_pair; ++c) links.both(end(i, j, c), end(j, i, c), shape.global_cable);
    return links.build(ranks.value(), switches.value());
}

/// Shape of a network of boxes with several accelerators.
struct boxes_shape {
    rank_t boxes = 1;          ///< number b of boxes, 1 or more
    rank_t ranks_per_box = 1;  ///< number g of ranks, 1 or more
    rank_t nics_per_box = 1;   ///< number n of network interfaces, 1 or more, or 0 for a single box
    rank_t rails = 1;          ///< number of common switches, 1 or more
    cable rank_cable{};        ///< between a rank and the switch of its box
    cable nic_cable{};         ///< between a rank and a network interface
    cable rail_cable{};        ///< between a network interface and a common switch
};
/// Returns boxes of ranks, each with a switch and with network interfaces, which are switches, too. Interface j of each
/// box is connected to common switch j mod rails. Rank i of a box uses its interface floor(i * n / g), and interface j
/// serves rank floor(j * g / n) if n > g. The switches are those of the boxes, the common ones and the interfaces, box
/// by box. Without interfaces there are no common switches.
/// @param shape  numbers and rates
/// @return network of boxes * ranks_per_box ranks
constexpr network boxes(const boxes_shape& shape) {
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
        for (rank_t i = 0; i < g; ++i) links.both(b * g + i, ranks.value() + b, shape.rank_cable);
        for (rank_t k = 0; n > 0 && k < wider; ++k)
            links.both(b * g + (n > g ? k * g / n : k), first_nic + b * n + (n > g ? k : k * n / g), shape.nic_cable);
        for (rank_t j = 0; j < n; ++j) links.both(first_nic + b * n + j, first_rail + j % rails, shape.rail_cable);
    }
    return links.build(ranks.value(), shape.boxes + rails + nics.value());
}

}}}}  // namespace collsched::COLLSCHED_ABI::topology::networks
