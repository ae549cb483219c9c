#pragma once

#include <atomic>

namespace support {

/// The number of allocations of this program, counted by its operator new. A test program can have only one.
inline std::atomic<long> allocations = 0;

}  // namespace support
