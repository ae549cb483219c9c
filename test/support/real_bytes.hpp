#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "collsched/execute/rank_memory.hpp"

namespace support {

using namespace collsched;

/// The operands of a reduction.
enum class operands : std::uint8_t {
    exact,  ///< those of the operation below, which is associative
    rounding,  ///< doubles of very different magnitudes, for elements of 8 bytes. Their sum has the bits of the canonical tree
};

/// The hardest operation that a contract allows, by the size of an element: in any order the sum of bytes, or of an int, or of
/// doubles that are small whole numbers; in order the product of two 2x2 matrices of unsigned int, or the composition of the
/// maps n -> a n + b over the numbers that half of an element can represent, a in the first half and b in the second. Those are
/// associative, and not commutative.
/// `rounding`: the sum of doubles.
reduction operation(const contract& contract, operands kind = operands::exact);

/// The memory of one rank, filled so that every byte of every rank's input differs from its neighbors, and the check
/// that a run left the result of the contract in output and changed no other byte.
class real_bytes {
  public:
    real_bytes(const contract& contract, rank_t rank, binding binding = binding::separate,
               operands kind = operands::exact);

    rank_memory memory() const;

    /// Fills input with fresh bytes that depend on `round`, and wipes the output that does not overlap input.
    void refill(int round);

    /// Returns the first fault, or "".
    std::string wrong() const;

  private:
    /// The number of bytes that an operation takes together.
    bytes_t together() const;
    std::byte brought(rank_t rank, bytes_t offset) const;
    std::byte expected(const contract::result_range& part, bytes_t i) const;
    double number_of(rank_t rank, bytes_t index) const;
    double canonical_sum(const contract::result_range& part, bytes_t index) const;

    contract contract_;
    rank_t rank_;
    operands kind_;
    int round_ = 0;
    mutable std::pair<bytes_t, double> last_sum_{-1, 0};  ///< of the element checked last: index, canonical sum
    std::vector<std::byte> host_, before_;
    std::byte* input_ = nullptr;
    std::byte* output_ = nullptr;
};

/// Memory of all ranks, filled.
struct filled {
    explicit filled(const contract& contract, binding binding = binding::separate, operands kind = operands::exact);
    void refill(int round);

    std::deque<real_bytes> bytes;
    std::vector<rank_memory> memory;
};

}  // namespace support
