#pragma once

#include <cstddef>
#include <cstdint>

#include "collsched/execute/reduction.hpp"
#include "collsched/schedule/contract.hpp"

/// Bytes of inputs, and an operation, by which a run shows whether each byte of its results is right.
namespace known_bytes {

/// Returns byte i of a rank's input. Neighboring ranks and offsets have different bytes.
inline std::byte byte_of(collsched::rank_t rank, collsched::bytes_t i) {
    std::uint64_t x = static_cast<std::uint64_t>(rank) * 0x9e3779b97f4a7c15U + static_cast<std::uint64_t>(i);
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return static_cast<std::byte>(x >> 56);
}

/// Returns x op y. A commutative operation is the sum. Otherwise it is the composition of the maps n -> a n + b over 16
/// numbers (a and b are the halves of a byte), which detects every wrong order.
inline std::byte combined(bool commutative, std::byte x, std::byte y) {
    const auto left = static_cast<unsigned>(x), right = static_cast<unsigned>(y);
    if (commutative) return static_cast<std::byte>(left + right);
    const unsigned a = left >> 4, b = left & 15, c = right >> 4, d = right & 15;
    return static_cast<std::byte>((a * c & 15) << 4 | ((a * d + b) & 15));
}

inline void combine(void* commutative, std::byte* into, const std::byte* incoming, collsched::bytes_t size,
                    collsched::action what) {
    const bool any_order = *static_cast<const bool*>(commutative);
    for (collsched::bytes_t i = 0; i < size; ++i)
        into[i] = what == collsched::action::combine_before ? combined(any_order, incoming[i], into[i])
                                                            : combined(any_order, into[i], incoming[i]);
}

/// Returns the operation; `commutative` states which one it is and must outlive the result.
inline collsched::reduction operation(bool& commutative) { return {combine, &commutative, commutative}; }

/// Returns the required byte i of a part of a rank's result.
inline std::byte expected(bool commutative, const collsched::contract::result_range& part, collsched::bytes_t i) {
    std::byte result = byte_of(part.first, part.at + i);
    for (collsched::rank_t r = part.first + 1; r < part.last; ++r)
        result = combined(commutative, result, byte_of(r, part.at + i));
    return result;
}

}  // namespace known_bytes
