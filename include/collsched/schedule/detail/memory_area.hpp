#pragma once

#include <cstdint>

#include "collsched/core/edge.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Memory of a rank: the buffers of a schedule, and staging, where incoming combines wait.
enum class memory_area : std::uint8_t { input, output, scratch, staging };

/// Returns the memory area of a buffer.
/// @param b  a buffer
constexpr memory_area area_of(buffer b) {
    switch (b) {
        case buffer::output: return memory_area::output;
        case buffer::scratch: return memory_area::scratch;
        default: return memory_area::input;
    }
}

}}}  // namespace collsched::COLLSCHED_ABI::detail
