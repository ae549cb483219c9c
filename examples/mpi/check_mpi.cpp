#include <link.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "fingerprint.hpp"
#include "greeting.hpp"
#include "native_mpi.hpp"
#include "start_checks.hpp"

namespace collsched::preload {

namespace {

#ifdef OPEN_MPI
constexpr std::string_view own_file = "libcollsched_mpi_openmpi.so", supported = "Open MPI";
constexpr std::array<std::string_view, 2> names_of_mpi{"Open MPI", "Spectrum MPI"};
constexpr std::array<std::string_view, 4> files_of_others{"libmpich.", "libmpichfort", "libmpifort", "libmpi.so.12"};
#else
constexpr std::string_view own_file = "libcollsched_mpi_mpich.so", supported = "MPICH";
constexpr std::array<std::string_view, 3> names_of_mpi{"MPICH", "MVAPICH", "Intel(R) MPI"};  // of one binary interface
constexpr std::array<std::string_view, 2> files_of_others{"libopen-pal.", "libmpi_mpifh"};
#endif

/// Stores the path of a loaded library of the other MPI.
int find_other(dl_phdr_info* info, std::size_t, void* found) {
    const std::string_view path = info->dlpi_name == nullptr ? "" : info->dlpi_name;
    const std::string_view file = path.substr(path.rfind('/') + 1);
    const auto begins = [&](std::string_view name) { return file.starts_with(name); };
    if (std::ranges::none_of(files_of_others, begins)) return 0;
    *static_cast<std::string*>(found) = printable(path);
    return 1;
}

}  // namespace

/// The dynamic linker loads this library's own MPI beside the program's. Which one comes first in the order of symbols
/// depends on the libraries of the program, so the functions may be the program's while handles have the values of this
/// library's MPI, or the reverse.
void check_mpi() {
    const std::string version = mpi_version();
    const auto is_in = [&](std::string_view name) { return version.find(name) != std::string::npos; };
    std::string other;
    dl_iterate_phdr(find_other, &other);
    if (other.empty() && std::ranges::any_of(names_of_mpi, is_in)) return;
    std::fprintf(stderr, "collsched: LD_PRELOAD: got %s in a program that uses %s, expected a program of %s\n",
                 own_file.data(), (other.empty() ? version : other).c_str(), supported.data());
    std::fflush(stderr);
    std::_Exit(2);  // neither MPI is initialized
}

}  // namespace collsched::preload
