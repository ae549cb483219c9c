#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "collsched/core/edge.hpp"
#include "collsched/core/owned_array.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// For each rank, the set of ranks whose signals it has received, directly or not, during a replay. 2 * ranks^2 bits.
class signal_reach {
  public:
    constexpr explicit signal_reach(rank_t ranks) : words_(ranks / word + 1), after_(ranks * words_) {
        for (rank_t r = 0; r < ranks; ++r) after_[r * words_ + r / word] |= std::uint64_t{1} << (r % word);
    }

    /// @param edges  all edges of a step
    constexpr void step(std::span<const edge> edges) {
        before_ = after_;
        for (const edge& e : edges)
            for (rank_t w = 0; w < words_; ++w) after_[e.dst * words_ + w] |= before_[e.src * words_ + w];
    }

    constexpr bool has(rank_t r, rank_t other) const {
        return (after_[r * words_ + other / word] >> (other % word) & 1) != 0;
    }

  private:
    static constexpr rank_t word = std::numeric_limits<std::uint64_t>::digits;

    rank_t words_;
    owned_array<std::uint64_t> before_, after_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
