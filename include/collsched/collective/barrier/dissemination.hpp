#pragma once

#include "collsched/collective/allgather/recursive_doubling.hpp"
#include "collsched/core/digits.hpp"
#include "collsched/schedule/lowering.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace barrier {

/// In round i rank r signals r + d k^i for every digit d = 1 .. k-1 of base k = radix for which that is below r + p. It
/// then depends on the k^(i+1) ranks up to itself, or on all ranks.
///
/// Rounds ceil(log_k p) for every p; in round i every rank sends and receives min(k-1, floor((p-1) / k^i)) signals.
/// Source: Hensgen, Finkel, Manber 1988; several signals per round: Hoefler, Mehlan, Mietke, Rehm 2006.
struct dissemination {
    rank_t ranks = 1;
    std::int64_t radix = 2;

    static constexpr algorithm_info info{.collective = collective::barrier,
                                         .name = "dissemination",
                                         .rounds = "ceil(log_k p)",
                                         .source = "Hensgen, Finkel, Manber 1988"};

    constexpr argument_error check() const {
        return radix < 2 ? argument_error{"radix", radix, "2 or more"} : argument_error{};
    }
    constexpr step_t steps() const { return ceil_log(radix, ranks); }

    constexpr void targets(rank_t r, step_t k, auto f) const {
        digit_distances(radix, k, ranks, [&](rank_t distance) { f(wrap(r + distance, ranks)); });
    }
    constexpr void sources(rank_t r, step_t k, auto f) const {
        digit_distances(radix, k, ranks, [&](rank_t distance) { f(wrap(r - distance, ranks)); });
    }
    constexpr void transfers(rank_t, rank_t, step_t, auto f) const { f(edge{}); }

    static constexpr void parameters(auto& self, auto f) {
        f("ranks", self.ranks);
        f("radix", self.radix);
    }
    bool operator==(const dissemination&) const = default;
};

/// Ranks signal the rank at distance 1, 2, 4 ...: the messages of allgather::recursive_doubling without bytes. If p is
/// no power of two, 2j+1 signals 2j first, and 2j signals 2j+1 last.
///
/// Rounds log2 p, or floor(log2 p) + 2. With P = 2^floor(log2 p): P log2 P signals, plus two for each of the p - P
/// ranks that only wait.
/// Source: MPICH, Open MPI.
struct recursive_doubling {
    rank_t ranks = 1;

    static constexpr algorithm_info info{.collective = collective::barrier,
                                         .name = "recursive-doubling",
                                         .rounds = "log2 p; floor(log2 p)+2 where p is no power of two",
                                         .source = "MPICH, Open MPI"};

    constexpr step_t steps() const { return peers().steps(); }
    constexpr step_t next(rank_t r, step_t k) const { return peers().next(r, k); }

    constexpr void targets(rank_t r, step_t k, auto f) const { peers().targets(r, k, f); }
    constexpr void sources(rank_t r, step_t k, auto f) const { peers().sources(r, k, f); }
    constexpr void transfers(rank_t, rank_t, step_t, auto f) const { f(edge{}); }

    static constexpr void parameters(auto& self, auto f) { f("ranks", self.ranks); }
    bool operator==(const recursive_doubling&) const = default;

  private:
    constexpr allgather::recursive_doubling peers() const { return {.ranks = ranks}; }
};

}}}  // namespace collsched::COLLSCHED_ABI::barrier
