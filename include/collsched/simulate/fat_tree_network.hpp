#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "collsched/simulate/detail/fat_tree.hpp"
#include "collsched/simulate/link_network.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Returns a fat tree of identical cables, each with a link in either direction, with D-mod-k routing.
///
/// The nodes are level 0. A switch of level l+1 has down[l] vertices of level l below it, and each of these has up[l]
/// switches above it, with cables[l] cables to each. Node i has coordinate 0 running fastest.
///
/// @param down      one number per level, 1 to 2^24
/// @param up        one number per level, 1 to 2^24
/// @param cost      of each cable, in each direction
/// @param cables    one number per level; empty: one cable to each switch
/// Failure: check() of the network reports wrong numbers, and more than 2^24 cables.
/// Source: Zahavi, D-Mod-K routing providing non-blocking traffic for shift permutations, 2010; SimGrid's fat trees.
inline link_network fat_tree_network(std::vector<rank_t> down, std::vector<rank_t> up, const lob_model::link_cost& cost,
                                     std::vector<rank_t> cables = {}) {
    const detail::fat_tree tree(std::move(down), std::move(up), std::move(cables));
    if (tree.check()) return link_network(tree.check());
    return {tree.nodes(), std::vector<link_network::link>(static_cast<std::size_t>(2 * tree.cables()), {cost}),
            [tree](rank_t from, rank_t to, detail::link_route& route) {
                tree.route(
                    from, to, [&](rank_t cable) { route.push_back(static_cast<std::int32_t>(2 * cable)); },
                    [&](rank_t cable) { route.push_back(static_cast<std::int32_t>(2 * cable + 1)); });
            }};
}

}}  // namespace collsched::COLLSCHED_ABI
