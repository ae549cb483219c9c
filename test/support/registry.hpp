#pragma once

#include <vector>

#include "algorithms/algorithms.hpp"

namespace support {

/// Whether an algorithm accepts this number of ranks. Algorithms with a restriction may reject it.
bool can_do(const collsched::algorithm_entry& entry, collsched::rank_t ranks);

/// The algorithms of the registry that accept this number of ranks and need no neighbors, one out of `one_of()`, varying with p.
std::vector<collsched::algorithm_entry> registered_at(collsched::rank_t ranks);

}  // namespace support
