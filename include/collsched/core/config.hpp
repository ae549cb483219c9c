#pragma once

/// @file
/// Version and build switches; the only macros of the library.

#define COLLSCHED_VERSION_MAJOR 0
#define COLLSCHED_VERSION_MINOR 1
#define COLLSCHED_VERSION_PATCH 0

/// The inline namespace of all names: two versions of the library may be linked into one program.
#define COLLSCHED_ABI v0_1

#if defined(__cpp_exceptions) && !defined(COLLSCHED_NO_EXCEPTIONS)
#define COLLSCHED_EXCEPTIONS 1
#else
#define COLLSCHED_EXCEPTIONS 0
#endif
