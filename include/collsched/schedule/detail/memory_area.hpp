#pragma once

#include <cstdint>

#include "collsched/core/byte_range.hpp"
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

/// Default limit of the staging of a plan: 512 KiB.
inline constexpr bytes_t default_staging = 512 * 1024;

/// Places of the operands that a rank receives in staging, step by step: one step behind the other up to a limit, then
/// from the beginning again. A step that alone exceeds the limit is placed at the beginning, however large it is.
class staging_places {
  public:
    constexpr explicit staging_places(bytes_t limit) : limit_(limit) {}

    /// Returns the offset of the operands of the next step, of this size together.
    constexpr bytes_t place(bytes_t size) {
        const bytes_t offset = size > limit_ - next_ ? 0 : next_;
        next_ = offset + size;
        if (next_ > bytes_) bytes_ = next_;
        return offset;
    }

    /// Returns the size of staging: the end of the last byte in use, max over all steps.
    constexpr bytes_t bytes() const { return bytes_; }

  private:
    bytes_t limit_;
    bytes_t next_ = 0;  // the first byte behind the operands of the last step
    bytes_t bytes_ = 0;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
