#pragma once

#include <cstdint>

#include "collsched/core/config.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// SplitMix64 generator of pseudo-random numbers, equal on every compiler. Not for cryptography. Source: Steele, Lea,
/// Flood 2014.
class splitmix64 {
  public:
    constexpr explicit splitmix64(std::uint64_t seed) : state_(seed) {}

    constexpr std::uint64_t operator()() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
        return z ^ (z >> 31);
    }
    /// Returns a number low .. high. Bias below (high - low) / 2^64.
    /// @pre low <= high
    constexpr std::int64_t between(std::int64_t low, std::int64_t high) {
        const std::uint64_t choices = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
        const std::uint64_t offset = choices == 0 ? (*this)() : (*this)() % choices;
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + offset);
    }

  private:
    std::uint64_t state_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
