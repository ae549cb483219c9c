#pragma once

/// @file
/// Version and build switches; the only macros of the library.

#define COLLSCHED_VERSION_MAJOR 0  ///< major version
#define COLLSCHED_VERSION_MINOR 1  ///< minor version
#define COLLSCHED_VERSION_PATCH 0  ///< patch level

/// The inline namespace of all names: two versions of the library may be linked into one program.
#define COLLSCHED_ABI v0_1

/// 1 if functions throw bad_argument for wrong parameters. 0 if the compiler has exceptions turned off, or if the
/// program defines COLLSCHED_NO_EXCEPTIONS before the first include: then functions return errors or empty values.
#if defined(__cpp_exceptions) && !defined(COLLSCHED_NO_EXCEPTIONS)
#define COLLSCHED_EXCEPTIONS 1
#else
#define COLLSCHED_EXCEPTIONS 0
#endif
