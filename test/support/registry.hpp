#pragma once

#include <span>

#include "collsched/collective/algorithm_list.hpp"

namespace support {

/// The entries of the library's lists, compiled once for all tests: registry, planned_registry, whole_registry.
std::span<const collsched::algorithm_entry> registered();
std::span<const collsched::algorithm_entry> registered_planned();
std::span<const collsched::algorithm_entry> registered_all();

}  // namespace support
