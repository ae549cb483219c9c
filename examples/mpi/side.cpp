#include "side.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>

namespace collsched::preload {

void side::settle(bool anywhere) {
    base_ = nullptr;
    direct_ = true;
    bytes_t packed = 0;
    for (const element_block& block : many_) {
        if (block.bytes() == 0) continue;
        if (!block.type.dense) direct_ = false;
        if (base_ == nullptr || (anywhere && std::less<>()(block.at, base_))) base_ = block.at;
    }
    offsets_.clear();
    for (const element_block& block : many_) {
        const bytes_t there = block.bytes() == 0 ? packed : block.at - base_;
        if (!anywhere && there != packed) direct_ = false;
        offsets_.push_back(there);
        packed += block.bytes();
    }
    if (!direct_) pack_offsets();
}

void side::use_copy() {
    direct_ = false;
    pack_offsets();
}

void side::pack_offsets() {
    offsets_.clear();
    bytes_t packed = 0;
    for (const element_block& block : many_) {
        offsets_.push_back(packed);
        packed += block.bytes();
    }
}

side side::first(bytes_t bytes) const { return {one_.at, one_.type.size == 0 ? 0 : bytes / one_.type.size, one_.type}; }

bytes_t side::bytes() const {
    bytes_t sum = 0;
    for (const element_block& block : all()) sum += block.bytes();
    return sum;
}

/// The addresses from the first byte of a direct buffer to the last.
byte_range side::reach() const {
    bytes_t size = 0;
    for (const element_block& block : all())
        if (block.bytes() > 0) size = std::max(size, block.at - base_ + block.bytes());
    return {static_cast<bytes_t>(reinterpret_cast<std::uintptr_t>(base_)), size};
}

bool side::uses(MPI_Datatype type) const {
    const auto here = all();
    return std::any_of(here.begin(), here.end(), [&](const element_block& one) { return one.type.handle == type; });
}

int side::pack_to(std::byte* packed) const {
    for (const element_block& block : all()) {
        if (const int error = pack(block.at, block.count, block.type, packed); error != MPI_SUCCESS) return error;
        packed += block.bytes();
    }
    return MPI_SUCCESS;
}

int side::unpack_from(const std::byte* packed) const {
    for (const element_block& block : all()) {
        if (const int error = unpack(packed, block.at, block.count, block.type); error != MPI_SUCCESS) return error;
        packed += block.bytes();
    }
    return MPI_SUCCESS;
}

}  // namespace collsched::preload
