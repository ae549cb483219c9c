#pragma once

#include <cstdint>

#include "collsched/schedule/edge_views.hpp"

namespace support {

/// Returns the number of edges between different ranks.
/// @param x  schedule or algorithm
template <class X>
constexpr std::int64_t transfers(const X& x) {
    std::int64_t count = 0;
    for (const collsched::edge& e : collsched::edges(x)) count += e.is_local() ? 0 : 1;
    return count;
}

}  // namespace support
