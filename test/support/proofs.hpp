#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "collsched/verify/verify.hpp"
#include "support/proof_size.hpp"

namespace support {

using namespace collsched;

/// Counts with zeros, one huge block, gaps and no order among the displacements.
template <rank_t Ranks>
constexpr block_layout awkward_blocks() {
    std::array<bytes_t, static_cast<std::size_t>(Ranks)> counts{}, displs{};
    bytes_t next = 1;
    for (rank_t i = Ranks; i-- > 0;) {
        counts[static_cast<std::size_t>(i)] = i % 3 == 1 ? 0 : i == Ranks / 2 ? 5000000000 : i + 1;
        displs[static_cast<std::size_t>(i)] = next;
        next += counts[static_cast<std::size_t>(i)] + i % 2;
    }
    return {counts, displs};
}

/// The algorithm for these blocks. A reversed algorithm contains the original.
template <class Algorithm>
constexpr Algorithm of_blocks(rank_t ranks, const block_layout& blocks) {
    if constexpr (requires { Algorithm{.ranks = ranks, .block = blocks}; })
        return Algorithm{.ranks = ranks, .block = blocks};
    else return Algorithm{{.ranks = ranks, .block = blocks}};
}

/// Proves Algorithm at compile time for one number of ranks: equal blocks and irregular ones, bound separately and in place.
template <class Algorithm, rank_t Ranks>
constexpr bool proved_at = [] {
    if constexpr (Ranks > most_proved) return true;
    else
        return proved<verify(of_blocks<Algorithm>(Ranks, 4))> &&
               proved<verify(of_blocks<Algorithm>(Ranks, 4), binding::in_place)> &&
               proved<verify(of_blocks<Algorithm>(Ranks, awkward_blocks<Ranks>()))>;
}();

/// The same for p up to 8 and for 16 and 17; between them irregular blocks only, since equal ones add no coverage there.
template <class Algorithm, rank_t Ranks>
constexpr bool proved_on_the_way = [] {
    if constexpr (Ranks <= 8 || Ranks >= 16 || Ranks > most_proved) return proved_at<Algorithm, Ranks>;
    else return proved<verify(of_blocks<Algorithm>(Ranks, awkward_blocks<Ranks>()))>;
}();

/// For algorithms that do not accept every number of ranks.
template <class Algorithm, rank_t... Ranks>
constexpr bool proved_for = (proved_at<Algorithm, Ranks> && ...);

template <class Algorithm, class = std::make_integer_sequence<rank_t, 17>>
struct proved_up_to_17;
template <class Algorithm, rank_t... I>
struct proved_up_to_17<Algorithm, std::integer_sequence<rank_t, I...>> {
    static constexpr bool value = (proved_on_the_way<Algorithm, I + 1> && ...);
};

}  // namespace support
