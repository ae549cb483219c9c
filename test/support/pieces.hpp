#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "collsched/core/detail/splitmix64.hpp"
#include "collsched/execute/transport.hpp"

namespace support {

using namespace collsched;

/// `size` bytes cut at random, some pieces empty.
template <class Piece, class Byte>
std::vector<Piece> cut(Byte* data, bytes_t size, bytes_t most, detail::splitmix64& random) {
    std::vector<Piece> pieces;
    for (bytes_t at = 0; at < size;) {
        const bytes_t now = std::min(random.between(0, most), size - at);
        pieces.push_back({data + at, now});
        at += now;
    }
    pieces.push_back({nullptr, 0});
    return pieces;
}

inline std::vector<std::byte> noise(bytes_t size, std::uint64_t seed) {
    detail::splitmix64 random(seed);
    std::vector<std::byte> bytes(static_cast<std::size_t>(size));
    for (std::byte& one : bytes) one = static_cast<std::byte>(random());
    return bytes;
}

}  // namespace support
