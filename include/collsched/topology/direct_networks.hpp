#pragma once

#include <cstdint>
#include <span>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/checked.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/topology/cable.hpp"
#include "collsched/topology/detail/link_list.hpp"
#include "collsched/topology/network.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// Returns a grid whose last coordinate varies fastest. `cables` has one element, or one for each dimension.
constexpr topology::network grid_network(std::span<const rank_t> sizes, std::span<const topology::cable> cables,
                                         bool wraps) {
    const auto dimensions = static_cast<std::int64_t>(sizes.size()), given = static_cast<std::int64_t>(cables.size());
    if (given != 1 && given != dimensions)
        return topology::network({"cables", given, "one cable, or one per dimension"});
    checked ranks = 1;
    const auto count = [&] { return ranks * 2 * dimensions; };
    shape_check shape;
    for (std::int64_t d = 0; d < given; ++d) shape.rates(cables[static_cast<std::size_t>(d)], given > 1 ? d : -1);
    for (std::int64_t d = 0; d < dimensions && !shape.error(); ++d) {
        const rank_t size = sizes[static_cast<std::size_t>(d)];
        if (size < 1) return topology::network({"sizes", size, "1 or more", d});
        ranks = ranks * size;
        if (!count().ok() || count().value() > most_network_links)
            return topology::network({"sizes", size, "at most 2^24 links", d});
    }
    if (shape.error()) return topology::network(shape.error());
    link_list links(count().value());
    for (rank_t r = 0; r < ranks.value(); ++r) {
        rank_t stride = 1;
        for (auto d = sizes.size(); d-- > 0;) {
            const rank_t size = sizes[d], x = r / stride % size;
            const topology::cable& of = cables[given == 1 ? 0 : d];
            if (x + 1 < size) links.both(r, r + stride, of);
            else if (wraps && size > 2) links.both(r, r - (size - 1) * stride, of);
            stride *= size;
        }
    }
    return links.build(ranks.value(), 0);
}

}  // namespace detail

namespace topology {

/// Functions that build networks. A wrong parameter is reported by check() of the network, which then is empty. A
/// network of these functions has at most 2^24 links, and no names. O(links).
namespace networks {

/// Returns a mesh: each rank has a cable to its neighbors in every dimension. The last coordinate varies fastest: rank
/// 1 is (0, ..., 0, 1), as in `torus`.
/// @param sizes   number of ranks along each dimension, each 1 or more
/// @param cables  the cable of each dimension
/// @return network of the product of `sizes` ranks
constexpr network mesh(std::span<const rank_t> sizes, std::span<const cable> cables) {
    return collsched::detail::grid_network(sizes, cables, false);
}
/// Returns a mesh whose cables are equal.
/// @param sizes  number of ranks along each dimension, each 1 or more
/// @param of     every cable
/// @return network of the product of `sizes` ranks
constexpr network mesh(std::span<const rank_t> sizes, const cable& of) {
    return collsched::detail::grid_network(sizes, {&of, 1}, false);
}

/// Returns a torus: a mesh with a cable from the last rank of each dimension to the first. A dimension of two ranks has
/// one cable, as in a mesh.
/// @param sizes   number of ranks along each dimension, each 1 or more
/// @param cables  the cable of each dimension
/// @return network of the product of `sizes` ranks
constexpr network torus(std::span<const rank_t> sizes, std::span<const cable> cables) {
    return collsched::detail::grid_network(sizes, cables, true);
}
/// Returns a torus whose cables are equal.
/// @param sizes  number of ranks along each dimension, each 1 or more
/// @param of     every cable
/// @return network of the product of `sizes` ranks
constexpr network torus(std::span<const rank_t> sizes, const cable& of) {
    return collsched::detail::grid_network(sizes, {&of, 1}, true);
}

/// Returns a ring: rank r has a cable to rank (r + 1) mod `ranks`. Two ranks have one cable.
/// @param ranks  1 or more
/// @param of     every cable
/// @return network of `ranks` ranks
constexpr network ring(rank_t ranks, const cable& of) {
    if (ranks < 1 || ranks > collsched::detail::most_network_links / 2) return network({"ranks", ranks, "1 to 2^23"});
    const rank_t sizes[] = {ranks};
    return torus(sizes, of);
}

/// Returns a hypercube: rank r has a cable to rank r XOR 2^k for each dimension k.
/// @param dimensions  0 or more
/// @param of          every cable
/// @return network of 2^dimensions ranks
constexpr network hypercube(rank_t dimensions, const cable& of) {
    if (dimensions < 0 || dimensions > 19) return network({"dimensions", dimensions, "0 to 19"});
    const rank_t ranks = rank_t{1} << dimensions;
    if (const argument_error error = collsched::detail::shape_check().rates(of).error()) return network(error);
    collsched::detail::link_list links(ranks * dimensions);
    for (rank_t r = 0; r < ranks; ++r)
        for (rank_t bit = 1; bit < ranks; bit *= 2)
            if ((r & bit) == 0) links.both(r, r + bit, of);
    return links.build(ranks, 0);
}

/// Returns a network in which each pair of ranks has a cable.
/// @param ranks  1 or more
/// @param of     every cable
/// @return network of `ranks` ranks and ranks * (ranks - 1) links
constexpr network fully_connected(rank_t ranks, const cable& of) {
    if (ranks < 1 || ranks > 4096) return network({"ranks", ranks, "1 to 4096"});
    if (const argument_error error = collsched::detail::shape_check().rates(of).error()) return network(error);
    collsched::detail::link_list links(ranks * (ranks - 1));
    for (rank_t a = 0; a < ranks; ++a)
        for (rank_t b = a + 1; b < ranks; ++b) links.both(a, b, of);
    return links.build(ranks, 0);
}

/// Returns a generalized Kautz graph: rank i has a link, of one direction, to each rank -(i * degree + k) mod ranks,
/// k = 1 .. degree. It has a diameter of at most ceil(log_degree(ranks)). Links from a rank to itself are omitted.
///
/// Source: Imase, Itoh, "Design to minimize diameter on building-block network", 1981.
/// @param ranks   2 or more
/// @param degree  number of links from each rank and to each rank, 1 .. ranks-1
/// @param of      rates of each link
/// @return network of `ranks` ranks and at most ranks * degree links
constexpr network generalized_kautz(rank_t ranks, rank_t degree, const cable& of) {
    collsched::detail::shape_check shape;
    shape.at_least("ranks", ranks, 2, "2 to 2^24").links("degree", degree, checked(ranks) * degree).rates(of);
    if (shape.error()) return network(shape.error());
    if (degree < 1 || degree >= ranks) return network({"degree", degree, "1 to ranks - 1"});
    collsched::detail::link_list links(ranks * degree);
    for (rank_t i = 0; i < ranks; ++i)
        for (rank_t k = 1; k <= degree; ++k)
            if (const rank_t to = (ranks - (i * degree + k) % ranks) % ranks; to != i) links.link(i, to, of);
    return links.build(ranks, 0);
}

}  // namespace networks

}  // namespace topology

}}  // namespace collsched::COLLSCHED_ABI
