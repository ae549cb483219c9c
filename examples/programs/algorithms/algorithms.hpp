#pragma once

#include <span>
#include <string_view>

#include "collsched/collective/algorithm_list.hpp"

/// The entries of the library's lists of algorithms (registry, registry::planned, registry::complete). Compiling all
/// algorithms takes a minute and a gigabyte, so a program compiles them only in this file.
namespace compiled {

/// Returns the entries of registry.
std::span<const collsched::algorithm_entry> registry();
/// Returns the entries of registry::planned.
std::span<const collsched::algorithm_entry> planned_registry();
/// Returns the entries of registry::complete.
std::span<const collsched::algorithm_entry> whole_registry();

/// Returns the algorithm of the registry with this collective and name, or null.
const collsched::algorithm_entry* find(collsched::collective what, std::string_view name);

}  // namespace compiled
