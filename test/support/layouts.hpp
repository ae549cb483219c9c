#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collsched/core/block_layout.hpp"
#include "collsched/core/block_matrix.hpp"
#include "collsched/core/permutation.hpp"

namespace support {

using namespace collsched;

/// A tested layout, with a name for messages.
struct named_layout {
    std::string name;
    block_layout blocks;
};

/// A small deterministic generator, for tests alone.
class random_source {
  public:
    explicit random_source(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15U + 1) {}
    /// 0 .. n-1
    std::int64_t below(std::int64_t n) {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return static_cast<std::int64_t>(state_ % static_cast<std::uint64_t>(n));
    }

  private:
    std::uint64_t state_;
};

/// Blocks in an order of their own, with gaps in between if requested.
block_layout shuffled(const std::vector<bytes_t>& counts, std::uint64_t seed, bytes_t largest_gap);

/// The tested layouts: equal blocks (of no bytes too), zeros among the counts, one huge block, all but one empty, an
/// uneven cut, and gaps in rank order, reversed and at random. `unit` scales the sizes.
std::vector<named_layout> layouts(rank_t ranks, bytes_t unit = 4);

/// Any order of the ranks.
permutation shuffled_ranks(rank_t ranks, std::uint64_t seed);

/// A tested matrix, with a name for messages.
struct named_matrix {
    std::string name;
    block_matrix blocks;
};

/// Typical matrices: random ones with empty rows, empty columns and empty blocks, all blocks for one rank, all blocks from
/// one, only own blocks, and blocks in an order of their own with gaps.
std::vector<named_matrix> matrices(rank_t ranks, bytes_t unit = 4);

}  // namespace support
