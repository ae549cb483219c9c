#pragma once

#include <cstdint>

namespace collsched::switch_study {

/// SplitMix64 generator of pseudo-random numbers, which draws the conditions of the studies. Source: Steele, Lea, Flood
/// 2014.
class study_random {
  public:
    explicit study_random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t operator()() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
        return z ^ (z >> 31);
    }
    /// Returns a number low .. high.
    /// @pre low <= high, and high - low < 2^63 - 1
    std::int64_t between(std::int64_t low, std::int64_t high) {
        return low + static_cast<std::int64_t>((*this)() % (static_cast<std::uint64_t>(high - low) + 1));
    }

  private:
    std::uint64_t state_;
};

}  // namespace collsched::switch_study
