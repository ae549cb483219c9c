#pragma once

#include "collsched/collective/allgather/recursive_doubling.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace barrier {

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
