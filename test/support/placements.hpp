#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "collsched/topology/placement.hpp"
#include "support/layouts.hpp"

namespace support {

using namespace collsched;

/// A placement by letters, one letter per rank and node: "ABBA".
topology::placement placed_as(std::string_view letters);

/// The first p letters of a text that is repeated.
topology::placement placed_as(std::string_view letters, rank_t ranks);

/// A tested placement, with a name for messages.
struct named_placement {
    std::string name;
    topology::placement where;
};

/// The tested placements: none; all ranks on one node, and every rank on one of its own; neighbors together,
/// as many on each node, or one more on each than on the one before; cyclic; nodes with several runs; and
/// at random, some nodes empty.
std::vector<named_placement> placements(rank_t ranks);

/// Calls f(p, placement) for p = 1 .. most: all of them for few ranks, then three others for each p.
template <class F>
void for_each_placement(rank_t most, F f) {
    for (rank_t p = 1; p <= most; ++p) {
        const std::vector<named_placement> all = placements(p);
        for (std::size_t i = 0; i < all.size(); ++i)
            if (p <= 12 || (i + 4 * static_cast<std::size_t>(p)) % all.size() < 3) f(p, all[i]);
    }
}

/// Counts of a placement of p ranks: nodes with a rank, and the most ranks on one; runs of neighbors
/// on one node there are, and the longest; and whether all ranks of every node are neighbors.
struct crowd {
    rank_t nodes = 1, fullest = 0, runs = 0, longest = 0;

    crowd(const topology::placement& where, rank_t p);
    bool neighbors() const { return runs == nodes; }
};

}  // namespace support
