#pragma once

#include "collsched/collective/algorithm_list.hpp"
#include "collsched/verify/verify.hpp"
#include "support/proof_size.hpp"

namespace support {

/// Proves A at compile time for 32 ranks, within the default limits of the compiler.
template <collsched::algorithm A>
constexpr bool proved_at_32 = [] {
    if constexpr (most_proved < 32) return true;
    else return collsched::proved<collsched::verify(collsched::make<A>({.ranks = 32, .block = 1, .bytes = 32}))>;
}();

}  // namespace support
