#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "fingerprint.hpp"
#include "start_checks.hpp"

namespace collsched::preload {

namespace {

#ifdef OPEN_MPI
constexpr std::string_view library = "libcollsched_mpi_openmpi.so", supported = "Open MPI";
constexpr std::array<std::string_view, 2> names{"Open MPI", "Spectrum MPI"};
#else
constexpr std::string_view library = "libcollsched_mpi_mpich.so", supported = "MPICH";
constexpr std::array<std::string_view, 3> names{"MPICH", "MVAPICH", "Intel(R) MPI"};  // of one binary interface
#endif

}  // namespace

/// The dynamic linker loads this library's own MPI beside the program's. The program's comes first in the order of
/// symbols, so the functions here are the program's, while handles have the values of this library's MPI. This function
/// of MPI has no handle.
void check_mpi() {
    std::array<char, 16384> text{};  // longer than any MPI's MPI_MAX_LIBRARY_VERSION_STRING
    int length = 0;
    PMPI_Get_library_version(text.data(), &length);
    const std::string_view version = text.data();
    const auto is_in = [&](std::string_view name) { return version.find(name) != std::string_view::npos; };
    if (std::ranges::any_of(names, is_in)) return;
    const std::string found = printable(version.substr(0, std::min(version.find_first_of(",\n"), std::size_t{64})));
    std::fprintf(stderr, "collsched: LD_PRELOAD: got %s in a program of %s, expected a program of %s\n", library.data(),
                 found.c_str(), supported.data());
    std::fflush(stderr);
    std::_Exit(2);  // neither MPI is initialized
}

}  // namespace collsched::preload
