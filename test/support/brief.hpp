#pragma once

#include <cstddef>
#include <cstdlib>

namespace support {

/// Of how many samples one is tried: under the sanitizers, where everything takes ten times as long, one of seven.
inline std::size_t one_of() { return std::getenv("COLLSCHED_BRIEF") == nullptr ? 1 : 7; }

/// Whether this is the long run, which leaves nothing out.
inline bool long_run() { return std::getenv("COLLSCHED_FULL") != nullptr; }

}  // namespace support
