#pragma once

#include <span>
#include <string_view>

#include "collsched/collective/algorithm_list.hpp"

namespace collsched::preload {

/// The algorithms of the library, compiled once.
std::span<const algorithm_entry> algorithms();

/// The algorithm of this name, or null.
const algorithm_entry* find_algorithm(collective what, std::string_view name);

}  // namespace collsched::preload
