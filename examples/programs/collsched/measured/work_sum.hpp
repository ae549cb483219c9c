#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "collsched/core/config.hpp"

namespace collsched::measured {

/// The kinds of work of a collective. The time of an algorithm is the sum of its amounts times the rates of a cluster.
enum class work_kind : std::size_t {
    round,    ///< rounds in sequence
    one_way,  ///< bytes of messages to one rank while another one sends
    two_way,  ///< bytes of messages between two ranks that send to each other
    block,    ///< blocks or segments that are messages of their own within a round
    copy,     ///< bytes copied within a rank
    combine,  ///< bytes combined
    port,     ///< messages that more ports cost
    fan,      ///< messages of one rank in flight at once
    small,    ///< bytes in messages of at most 2^15 bytes, roughly
    large,    ///< bytes in messages of at least 2^20 bytes, roughly
    shared,   ///< bytes of the other ranks of a node through the same interface
    call,     ///< calls: 1
    count
};
inline constexpr std::size_t work_kinds = static_cast<std::size_t>(work_kind::count);

/// One number per kind of work.
using work_amounts = std::array<double, work_kinds>;

/// Adds up the messages of the rank with the most work.
class work_sum {
  public:
    /// A `segment` of 0 is none.
    explicit work_sum(double segment) : segment_(segment) { amount(work_kind::call) = 1; }

    double& amount(work_kind kind) { return amounts_[static_cast<std::size_t>(kind)]; }
    const work_amounts& amounts() const { return amounts_; }

    /// Adds messages of the same size, one per round.
    void add(work_kind direction, double count, double bytes) {
        amount(work_kind::round) += count;
        amount(direction) += count * bytes;
        amount(work_kind::large) += count * large_part(bytes);
        add_small(count, bytes);
        if (segment_ > 0) amount(work_kind::block) += count * (std::max(std::ceil(bytes / segment_), 1.0) - 1);
    }
    void add_small(double count, double bytes) {
        amount(work_kind::small) += count * bytes * below / (piece(bytes) + below);
    }
    /// Adds messages of m/2, m/4, ... bytes in this number of rounds.
    void add_halving(work_kind direction, int rounds, double m) {
        for (int k = 1; k <= rounds; ++k) add(direction, 1, std::ldexp(m, -k));
    }
    double bytes() const {
        return amounts_[static_cast<std::size_t>(work_kind::one_way)] +
               amounts_[static_cast<std::size_t>(work_kind::two_way)];
    }

  private:
    static constexpr double below = 0x1p15, above = 0x1p20;

    double piece(double bytes) const { return segment_ > 0 ? std::min(bytes, segment_) : bytes; }
    double large_part(double bytes) const { return bytes * piece(bytes) / (piece(bytes) + above); }

    double segment_;
    work_amounts amounts_{};
};

}  // namespace collsched::measured
