#pragma once

#include <cstdint>

#include "collsched/core/argument_error.hpp"
#include "collsched/topology/network.hpp"
#include "collsched/topology/translations.hpp"
#include "collsched/tree/detail/symmetric_packing.hpp"
#include "collsched/tree/symmetric_forest.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace trees {

/// Packs spanning out-trees of all ranks of a network with translations: those of rank 0, of which the trees of other
/// ranks are images. `bandwidth` is that of the trees, `bound` that of all cuts.
///
/// Each rank has its parents among the ranks before it in an order of all ranks, so that every choice of parents is a
/// tree. The choices of all ranks are one max flow in whole numbers, from ranks over orbits of links to their
/// capacities. The order is that of distances from the root, and parents are closer to the root than the rank as far as
/// capacities allow. If that does not attain the bound, the order is the one of parent_orders.hpp that fills fast parts
/// of the network first. `bandwidth < bound` if neither does: then it is the largest bandwidth of either order.
///
/// Failure: `error` is set for a wrong network, one without translations (topology::find_translations()), ranks that are
/// not connected, paths over switches that are too many or share links of no hierarchy, more than 2^25 edges of the
/// trees of rank 0, and if sums of capacities reach 2^60. Complexity: that of find_translations(), of a few max flows with ranks * walks arcs, and, per tree,
/// O(ranks * starts of a walk). A torus has one walk per direction; a rank of equal boxes has one inside the box and one
/// or more to other boxes.
/// @param net  the network
inline packed_symmetric_forest pack_symmetric_forest(const topology::network& net) {
    if (net.check()) return detail::failed_symmetric(net.check());
    if (net.ranks() < 2) return detail::failed_symmetric({"ranks", net.ranks(), "2 or more"});
    const topology::network::translations group = topology::find_translations(net);
    if (group.ranks() == 0)
        return detail::failed_symmetric({"ranks", net.ranks(), "ranks that translations of a torus map to each other"});
    return detail::symmetric_packing(net, group).run(true);
}

}}}  // namespace collsched::COLLSCHED_ABI::trees
