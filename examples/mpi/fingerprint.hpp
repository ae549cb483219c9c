#pragma once

#include <string>
#include <string_view>

namespace collsched::preload {

/// Largest fingerprint in bytes.
constexpr std::size_t most_of_fingerprint = 16384;

/// Returns the properties of this rank that must be the same on all ranks: the version of this library, the MPI, and
/// the variables COLLSCHED_... that choose how calls run. One line per property: its name, a tabulator, its value.
std::string fingerprint();

/// Returns the differences between this rank's fingerprint and that of rank 0, as text; empty: none. `of_root` may be
/// any text.
std::string differences(const std::string& mine, std::string_view of_root);

/// Returns text with a space for each tabulator and '?' for each other character that is not printable.
std::string printable(std::string_view text);

}  // namespace collsched::preload
