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
    bool is_full() const { return lowest_free() >= count_; }
    /// The lowest free place, or a larger number than any.
    int lowest_free() const {
        int first = 0;
        for (const std::uint64_t word : taken_) {
            if (word != ~std::uint64_t{0}) return first + std::countr_one(word);
            first += 64;
        }
        return first;
    }
    bool is_taken(int place) const { return (word(place) >> place % 64 & 1) != 0; }
    void take(int place) { word(place) |= std::uint64_t{1} << place % 64; }
    void free(int place) { word(place) &= ~(std::uint64_t{1} << place % 64); }
    void free_all() { taken_ = {}; }
    /// Calls f for each that is taken; f may free it.
    void for_each(auto f) const {
        int first = 0;
        for (std::uint64_t left : taken_) {
            for (; left != 0; left &= left - 1) f(first + std::countr_zero(left));
            first += 64;
        }
    }

  private:
    const std::uint64_t& word(int place) const { return taken_[static_cast<std::size_t>(place) / 64]; }
    std::uint64_t& word(int place) { return taken_[static_cast<std::size_t>(place) / 64]; }

    int count_;
    std::array<std::uint64_t, 4> taken_{};
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
