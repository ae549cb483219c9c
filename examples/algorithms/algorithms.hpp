#pragma once

#include <span>
#include <string_view>

#include "collsched/collective/algorithm_list.hpp"

/// The entries of the library's lists of algorithms (registry, registry::planned, registry::whole). All algorithms are
/// a minute and a gigabyte for the compiler; a program compiles them in this one file.
namespace compiled {

std::span<const collsched::algorithm_entry> registry();
std::span<const collsched::algorithm_entry> planned_registry();
std::span<const collsched::algorithm_entry> whole_registry();

/// The algorithm of the registry with this collective and name, or null.
const collsched::algorithm_entry* find(collsched::collective what, std::string_view name);

}  // namespace compiled
