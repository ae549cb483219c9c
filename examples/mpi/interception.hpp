#pragma once

#include <link.h>

#include <string>

namespace collsched::preload {

/// Returns this library's function of MPI of a name MPI_... or PMPI_..., null if it has none.
void* own_function(const char* name);

/// Returns the MPI library's own function of a name PMPI_.... The program finds this library's function by that name.
/// Ends the program with status 2 if there is none.
void* find_native(const char* name);
/// Records the address of a function of the MPI library that find_native() returns from now on.
void keep_native(const char* name, void* address);

/// Returns the MPI's library, null if it is a part of the program.
const dl_phdr_info* library_of_mpi();

/// Ends the program with status 2 and a line: the calls of the library at the path cannot be taken over.
[[noreturn]] void refuse_calls(const std::string& path, const char* expected);

}  // namespace collsched::preload
