#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "collsched/schedule/stored_schedule.hpp"
#include "collsched/verify/verify.hpp"
#include "support/proof_size.hpp"

namespace support {

using namespace collsched;

/// Sizes with empty rows, empty columns, and one huge block.
template <rank_t Ranks>
constexpr block_matrix awkward_matrix() {
    std::array<bytes_t, static_cast<std::size_t>(Ranks * Ranks)> counts{};
    for (rank_t i = 0; i < Ranks; ++i)
        for (rank_t j = 0; j < Ranks; ++j)
            counts[static_cast<std::size_t>(i * Ranks + j)] = i % 4 == 1 || j % 5 == 2   ? 0
                                                              : i == 0 && j == Ranks / 2 ? 5000000000
                                                                                         : (3 * i + j) % 7;
    return block_matrix(counts);
}

/// Proves a complete exchange at compile time for p = 1 .. 13, with equal blocks and irregular ones.
template <class Algorithm>
constexpr bool exchange_proved() {
    return []<rank_t... I>(std::integer_sequence<rank_t, I...>) {
        return ((proved<verify(Algorithm{.ranks = I + 1, .block = 4})> &&
                 proved<verify(Algorithm{.ranks = I + 1, .block = awkward_matrix<I + 1>()})>) &&
                ...);
    }(std::make_integer_sequence<rank_t, std::min<rank_t>(13, most_proved)>());
}

}  // namespace support
