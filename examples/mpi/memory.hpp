#pragma once

#include <cstddef>
#include <memory>

#include "collsched/core/byte_range.hpp"

namespace collsched::preload {

/// Memory that grows and is retained for reuse. Not initialized.
class memory {
  public:
    /// Returns at least `size` bytes. Growth discards the content.
    std::byte* room(bytes_t size) {
        if (size > size_) {
            held_.reset();
            size_ = 0;
            held_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(size));
            size_ = size;
        }
        return held_.get();
    }
    /// Returns whether room() would return this memory.
    bool holds(const std::byte* at, bytes_t size) const { return at == held_.get() && size <= size_; }
    /// Frees the memory if it is larger than `most`.
    void trim(bytes_t most) {
        if (size_ <= most) return;
        held_.reset();
        size_ = 0;
    }

  private:
    std::unique_ptr<std::byte[]> held_;
    bytes_t size_ = 0;
};

/// The memory of an operation in addition to the program's buffers.
struct workspace {
    memory input, output;     ///< packed, if the program's buffers are not
    memory scratch, staging;  ///< of the plan
    memory first, second;     ///< operands of a combination

    void trim(bytes_t most) {
        input.trim(most), output.trim(most);
        scratch.trim(most), staging.trim(most);
        first.trim(most), second.trim(most);
    }
};

}  // namespace collsched::preload
