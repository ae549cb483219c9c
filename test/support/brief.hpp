#pragma once

#include <cstddef>
#include <cstdlib>

namespace support {

/// Whether this is the run under the sanitizers, which takes ten times as long.
inline bool brief() { return std::getenv("COLLSCHED_BRIEF") != nullptr; }

/// Tests run one sample out of this many.
inline std::size_t one_of() { return brief() ? 17 : 1; }

/// Whether this is the long run with all cases.
inline bool long_run() { return std::getenv("COLLSCHED_FULL") != nullptr; }

}  // namespace support
