#pragma once

#include <bit>

#include "collsched/core/owned_array.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Sets of numbers 0 .. bits-1, one per row, as bits of words.
class bit_rows {
  public:
    constexpr bit_rows(std::int64_t rows, std::int64_t bits) : words_((bits + 63) / 64), bits_(rows * words_) {}

    constexpr bool has(std::int64_t row, std::int64_t bit) const {
        return (bits_[row * words_ + bit / 64] >> bit % 64 & 1) != 0;
    }
    constexpr void add(std::int64_t row, std::int64_t bit) {
        bits_[row * words_ + bit / 64] |= std::uint64_t{1} << bit % 64;
    }
    /// Adds the numbers of a row of `other`, which has as many bits.
    constexpr void add_row(std::int64_t row, const bit_rows& other, std::int64_t added) {
        for (std::int64_t w = 0; w < words_; ++w) bits_[row * words_ + w] |= other.bits_[added * words_ + w];
    }
    /// Removes the numbers of a row of `other`, which has as many bits.
    constexpr void remove_row(std::int64_t row, const bit_rows& other, std::int64_t removed) {
        for (std::int64_t w = 0; w < words_; ++w) bits_[row * words_ + w] = missing(row, other, removed, w);
    }
    /// Calls f for each number of a row, ascending.
    constexpr void visit(std::int64_t row, auto f) const {
        for (std::int64_t w = 0; w < words_; ++w) visit_word(w, bits_[row * words_ + w], f);
    }
    /// Calls f for each number of a row that a row of `other` lacks, ascending.
    constexpr void visit_missing(std::int64_t row, const bit_rows& other, std::int64_t lacking, auto f) const {
        for (std::int64_t w = 0; w < words_; ++w) visit_word(w, missing(row, other, lacking, w), f);
    }
    /// Returns how many numbers of a row a row of `other` lacks.
    constexpr std::int64_t count_missing(std::int64_t row, const bit_rows& other, std::int64_t lacking) const {
        std::int64_t count = 0;
        for (std::int64_t w = 0; w < words_; ++w) count += std::popcount(missing(row, other, lacking, w));
        return count;
    }

  private:
    constexpr std::uint64_t missing(std::int64_t row, const bit_rows& other, std::int64_t lacking,
                                    std::int64_t w) const {
        return bits_[row * words_ + w] & ~other.bits_[lacking * words_ + w];
    }
    static constexpr void visit_word(std::int64_t w, std::uint64_t bits, auto& f) {
        for (; bits != 0; bits &= bits - 1) f(w * 64 + std::countr_zero(bits));
    }

    std::int64_t words_;
    owned_array<std::uint64_t> bits_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
