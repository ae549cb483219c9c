#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "datatype.hpp"

namespace collsched::preload {

/// Contiguous elements of the program.
struct element_block {
    std::byte* at = nullptr;
    std::int64_t count = 0;
    datatype type;

    bytes_t bytes() const { return count * type.size; }
};

/// One of the two buffers of a call on this rank: the program's elements, and whether the plan uses them in place
/// (direct) or as a packed copy.
class side {
  public:
    /// A buffer that is not significant on this rank.
    side() = default;
    /// A buffer of contiguous elements.
    side(void* at, std::int64_t count, const datatype& type) : one_{static_cast<std::byte*>(at), count, type} {
        direct_ = type.dense || one_.bytes() == 0;
        base_ = one_.at;
    }

    std::vector<element_block>& blocks() { return many_; }
    /// Must be called when all blocks have been added. The buffer is direct if the blocks are dense and, unless
    /// `anywhere`, packed in order.
    void settle(bool anywhere);
    /// Makes the plan use a copy, whatever the program's buffer is like.
    void use_copy();

    bool direct() const { return direct_; }
    std::byte* base() const { return base_; }
    bytes_t bytes() const;
    /// Returns whether the plan uses both buffers in place, and the memory from the first to the last byte of one
    /// overlaps that of the other, such as blocks in the gaps of the other.
    bool meets(const side& other) const { return direct_ && other.direct_ && overlap(reach(), other.reach()); }
    /// Returns the offset of block i in the buffer of the plan.
    /// @pre settled
    bytes_t offset(std::size_t i) const { return offsets_[i]; }

    bool uses(MPI_Datatype type) const;

    int pack_to(std::byte* packed) const;
    int unpack_from(const std::byte* packed) const;
    /// Returns the first elements of a buffer of contiguous elements, as many whole ones as `bytes` have.
    side first(bytes_t bytes) const;

  private:
    void pack_offsets();
    byte_range reach() const;
    std::span<const element_block> all() const {
        return many_.empty() ? std::span<const element_block>(&one_, 1) : std::span<const element_block>(many_);
    }

    element_block one_;
    std::vector<element_block> many_;
    std::vector<bytes_t> offsets_;
    std::byte* base_ = nullptr;
    bool direct_ = true;
};

}  // namespace collsched::preload
