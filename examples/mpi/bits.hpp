#pragma once

#include <string>

#include "arguments.hpp"
#include "collsched/collective/algorithm_list.hpp"
#include "collsched/verify/association_report.hpp"

namespace collsched::preload {

/// The variable with the class that the brackets of reductions must have: rank, position or canonical.
inline constexpr const char* bits_variable = "COLLSCHED_BITS";

/// Reads the variable. For an invalid value prints the accepted values on stderr and exits with status 2.
void read_bits();

/// Returns the class that the schedules of a function must have; any if the function does not combine, or without the
/// variable.
association_class wanted_bits(function what);

/// Returns the class that the schedules of an algorithm have, whatever their length. It is proved once for each number of ranks.
association_class class_of_any_length(const algorithm_entry& entry, const shape& parameters);

/// Prints on stderr, once for each function and process, that a reduction runs in the MPI library, which promises no class.
void warn_of_native(function what, const std::string& why);

}  // namespace collsched::preload
