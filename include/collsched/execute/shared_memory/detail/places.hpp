#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "collsched/core/config.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Which of up to 256 places are taken, a bit each. The lowest that is free is taken next, so that few are ever used.
class places {
  public:
    /// @param count  1 .. 256
    explicit places(int count) : count_(count) {}

    int count() const { return count_; }
    /// Returns how many are taken.
    int taken() const { return taken_; }
    /// Takes the lowest free place. @return -1: there is none
    int take() {
        if (taken_ == count_) return -1;
        std::size_t word = 0;
        while (words_[word] == ~std::uint64_t{0}) ++word;
        const int bit = std::countr_one(words_[word]);
        words_[word] |= std::uint64_t{1} << bit;
        ++taken_;
        return static_cast<int>(64 * word) + bit;
    }
    /// @pre the place is taken
    void free(int place) {
        words_[static_cast<std::size_t>(place) / 64] &= ~(std::uint64_t{1} << place % 64);
        --taken_;
    }

  private:
    int count_, taken_ = 0;
    std::array<std::uint64_t, 4> words_{};
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
