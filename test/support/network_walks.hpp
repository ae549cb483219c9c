#pragma once

#include "collsched/topology/network.hpp"
#include "collsched/topology/translations.hpp"
#include "collsched/tree/detail/switch_walks.hpp"

namespace support {

/// The walks of a network with translations, and all that they are made from.
struct network_walks {
    collsched::topology::network::translations group;
    collsched::trees::detail::arc_table arcs;
    collsched::trees::detail::link_orbits orbits;
    collsched::trees::detail::walk_search search;
    bool found;
    collsched::trees::detail::walk_limits limits;

    explicit network_walks(const collsched::topology::network& net)
        : group(collsched::topology::find_translations(net)),
          arcs(net),
          orbits(arcs, group),
          search(arcs, orbits, net.ranks(), net.vertices()),
          found(search.run()),
          limits(collsched::trees::detail::find_limits(search.walks(), orbits.size.length())) {}
};

}  // namespace support
