#pragma once

#include <atomic>

namespace support {

/// How often this program has asked for memory. Counted by the operator new of a test program, which can have only one.
inline std::atomic<long> allocations = 0;

}  // namespace support
