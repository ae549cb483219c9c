#pragma once

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "native_mpi.hpp"

/// native_mpi.hpp for programs that compare the library with the MPI: conformance.cpp and bench.cpp. Without the library,
/// MPI_... are the MPI's own functions as well.

namespace collsched::preload {

inline void* find_native(const char* name) {
    using search = void*(const char*);
    auto* const of_library = reinterpret_cast<search*>(dlsym(RTLD_DEFAULT, "collsched_mpi_native"));
    void* const address = of_library != nullptr ? of_library(name) : dlsym(RTLD_DEFAULT, name);
    if (address != nullptr) return address;
    std::fprintf(stderr, "%s: got no function of the MPI's own\n", name);
    std::exit(1);
}

}  // namespace collsched::preload
