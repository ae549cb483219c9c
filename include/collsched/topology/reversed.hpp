#pragma once

#include <cstdint>
#include <span>

#include "collsched/core/owned_array.hpp"
#include "collsched/topology/network.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace topology {

/// Returns a network with the direction of every link reversed. Link i of the result is link i of `net`. Names are
/// kept. O(vertices + links).
/// @param net  a network; the result has its error, if any
constexpr network reversed(const network& net) {
    if (net.check()) return network(net.check());
    owned_array<network::link> links(net.links());
    for (network::link& one : links) {
        const rank_t from = one.from;
        one.from = one.to;
        one.to = from;
    }
    bool named = false;
    owned_array<const char*> names(net.vertices());
    for (rank_t v = 0; v < net.vertices(); ++v) {
        names[v] = net.name(v);
        named = named || *net.name(v) != '\0';
    }
    return {net.ranks(), net.switches(), links,
            named ? std::span<const char* const>(names) : std::span<const char* const>()};
}

}}}  // namespace collsched::COLLSCHED_ABI::topology
