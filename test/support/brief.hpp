#pragma once

#include <cstddef>
#include <cstdlib>

namespace support {

/// Whether this is a run under the sanitizers, which takes ten times as long, or that of an installation, which should be short.
inline bool brief() { return std::getenv("COLLSCHED_BRIEF") != nullptr; }

/// Tests run one sample out of this many.
inline std::size_t one_of() { return brief() ? 17 : 1; }

/// The last of the numbers of ranks that a test tries: in short runs one more than a power of two, if it is less.
template <class Rank>
Rank most(Rank ranks) {
    return brief() && ranks > 17 ? Rank{17} : ranks;
}

/// Whether this is the run of the sweeps, with all cases.
inline bool long_run() { return std::getenv("COLLSCHED_SWEEPS") != nullptr; }

}  // namespace support
