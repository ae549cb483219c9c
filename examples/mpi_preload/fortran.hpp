#pragma once

#include <string>

namespace collsched::preload {

/// Makes the MPI's Fortran functions call this library's functions. All of Open MPI's, and those of MPICH's mpi_f08 that
/// have no buffer, convert their arguments and call PMPI_..., so neither a function MPI_... of this library nor one that
/// a tool defines would be called. The addresses of those PMPI_... functions that this library intercepts are replaced
/// in the MPI's library of Fortran functions (libmpi_mpifh, libmpichfort), which all three interfaces call: mpif.h, mpi,
/// and mpi_f08. Other libraries' calls of PMPI_... stay as they are.
///
/// At the start of the program, and again at MPI_Init for a library that was loaded meanwhile. Ends the program with
/// status 2 if the addresses cannot be replaced.
void intercept_fortran();

/// Returns this library's function of MPI of a name, null if it has none.
void* own_function(const char* name);

/// Ends the program with status 2 and a line: the calls of the library at the path cannot be taken over.
[[noreturn]] void refuse_calls(const std::string& path, const char* expected);

}  // namespace collsched::preload
