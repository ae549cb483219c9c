#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "datatype.hpp"

namespace collsched::preload {

/// Elements of the program in one run.
struct element_block {
    std::byte* at = nullptr;
    std::int64_t count = 0;
    datatype type;

    bytes_t bytes() const { return count * type.size; }
};

/// One of the two buffers of a call on this rank: what the program has there, and whether the plan may use it as it is
/// (direct) or works on a packed copy.
class side {
  public:
    /// Nothing: a buffer that means nothing on this rank.
    side() = default;
    /// One run of elements.
    side(void* at, std::int64_t count, const datatype& type) : one_{static_cast<std::byte*>(at), count, type} {
        direct_ = type.dense || one_.bytes() == 0;
        base_ = one_.at;
    }

    std::vector<element_block>& blocks() { return many_; }
    /// To be called when all blocks are there: direct if they are dense and, unless `anywhere`, packed in order.
    void settle(bool anywhere);
    /// The plan shall work on a copy, whatever the program's buffer is like.
    void use_copy();

    bool direct() const { return direct_; }
    std::byte* base() const { return base_; }
    bytes_t bytes() const;
    /// Where block i begins in the buffer of the plan, if settled.
    bytes_t offset(std::size_t i) const { return offsets_[i]; }

    bool uses(MPI_Datatype type) const;

    int pack_to(std::byte* packed) const;
    int unpack_from(const std::byte* packed) const;

  private:
    void pack_offsets();
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
