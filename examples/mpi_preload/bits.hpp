#pragma once

#include <string>

#include "collsched/verify/association_report.hpp"
#include "selection.hpp"

namespace collsched::preload {

/// The variable with the class that the brackets of reductions must have: rank, position or canonical.
inline constexpr const char* bits_variable = "COLLSCHED_BITS";

/// Reads the variable. For an invalid value prints the accepted values on stderr and exits with status 2.
void read_bits();

/// Returns the class that the schedules of a function must have; any if the function does not combine, or without the
/// variable.
association_class wanted_bits(function what);

/// Returns the reason why the schedules of a choice, whatever the length, lack the class; empty: they have it, or the
/// function does not combine. The class of an algorithm and a number of ranks is proved once.
std::string bits_against(const choice& tried, const decision& how);

/// Prints on stderr, once for each function and process, that a reduction runs in the MPI library, which promises no class.
void warn_of_native(function what, const std::string& why);

}  // namespace collsched::preload
