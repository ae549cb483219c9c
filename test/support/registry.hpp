#pragma once

#include <span>
#include <vector>

#include "collsched/collective/algorithm_list.hpp"

namespace support {

/// The entries of the library's lists, compiled once for all tests: registry, planned_registry, whole_registry.
std::span<const collsched::algorithm_entry> registered();
std::span<const collsched::algorithm_entry> registered_planned();
std::span<const collsched::algorithm_entry> registered_all();

/// Whether an algorithm can do so many ranks, which those that say so need not.
bool can_do(const collsched::algorithm_entry& entry, collsched::rank_t ranks);

/// The algorithms of the registry that can, and that need no neighbors.
std::vector<collsched::algorithm_entry> registered_at(collsched::rank_t ranks);

}  // namespace support
