#pragma once

#include "collsched/core/rank.hpp"

namespace support {

/// Static assertions prove up to this many ranks: clang's all that were meant, g++'s only with COLLSCHED_SWEEP_PROOFS, since it
/// takes several times as long as for everything else in the tests.
#if defined(__clang__) || defined(COLLSCHED_SWEEP_PROOFS)
inline constexpr collsched::rank_t most_proved = 1 << 20;
#else
inline constexpr collsched::rank_t most_proved = 4;
#endif

}  // namespace support
