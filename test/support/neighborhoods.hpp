#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collsched/core/neighborhood.hpp"

namespace support {

using namespace collsched;

/// A tested neighborhood, with a name for messages.
struct named_neighborhood {
    std::string name;
    neighborhood lists;
};

/// A grid by coordinates, the last dimension running fastest: neighbors are those of MPI_Cart_shift.
struct grid {
    std::vector<rank_t> dims, periodic;

    rank_t ranks() const;
    std::vector<rank_t> coordinates(rank_t r) const;
    /// One step down (-1) or up (+1) in dimension d, or -1.
    rank_t neighbor(rank_t r, std::size_t d, rank_t way) const;
};

/// Tori, also those on which both directions of a dimension lead to one rank.
std::vector<grid> small_tori();

/// Any graph: pairs joined several times, ranks joined with themselves, ranks without targets or sources, empty slots;
/// sources in an order of their own.
neighborhood any_graph(rank_t ranks, std::uint64_t seed, rank_t most);

/// Typical neighborhoods: lines and rings, grids and tori of other shapes, some dimensions periodic; any
/// graphs; a star; a graph without edges.
std::vector<named_neighborhood> neighborhoods(rank_t ranks);

}  // namespace support
