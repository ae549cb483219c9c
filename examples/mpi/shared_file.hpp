#pragma once

#include <cstdint>
#include <functional>

#include "collsched/format/files/text_file.hpp"

namespace collsched::preload {

/// Reads the file that a variable names on rank 0 of MPI_COMM_WORLD, broadcasts its text, and calls parse(text) on every
/// rank. An input_error of parse() on rank 0, or a file of more than 64 MiB, ends the program with status 2 after one line.
/// Collective over MPI_COMM_WORLD.
/// @param variable  name of the variable; only that of rank 0 counts
/// @param noun      the content, such as "a table", for errors
/// @return whether the variable is set
bool share_file(const char* variable, const char* noun, const std::function<void(const text_file&)>& parse);

}  // namespace collsched::preload
