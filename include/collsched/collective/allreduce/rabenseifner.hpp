#pragma once

#include "collsched/collective/allgather/recursive_doubling.hpp"
#include "collsched/collective/allgather/swing.hpp"
#include "collsched/collective/allreduce/by_reversal.hpp"
#include "collsched/collective/allreduce/folded.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace allreduce {

namespace detail {

struct rabenseifner_label {
    static constexpr const char* name = "rabenseifner";
    static constexpr const char* rounds = "2 log2 p; 2 floor(log2 p) + 2 where p is no power of two";
    static constexpr const char* source = "Rabenseifner 2004";
};
struct swing_label {
    static constexpr const char* rounds = "2 log2 p; 2 floor(log2 p) + 2 where p is no power of two";
};

}  // namespace detail

/// A reduce_scatter by recursive halving, then the allgather by recursive doubling, of n parts of the message among n
/// ranks, the largest power of two up to p. If p > n, one rank of each of the first p - n pairs of neighbors takes
/// part.
///
/// Rounds 2 log2 n, plus 2 if n < p; 2 m (n-1)/n bytes sent and received per rank, up to one element per part, plus m
/// bytes for a rank with a guest. Guests have m bytes of scratch, other ranks none. Commutative operations only.
/// Source: Rabenseifner 2004, "Optimization of collective reduction operations".
using rabenseifner = folded<by_reversal<allgather::recursive_doubling>, detail::rabenseifner_label>;

/// reduce_scatter::swing, then allgather::swing, of n parts of the message among n ranks, the largest power of two up
/// to p. If p > n, one rank of each of the first p - n pairs of neighbors takes part. On a ring or torus, partners of
/// step s are about 2^(s+1)/3 ranks away.
///
/// Rounds 2 log2 n, plus 2 if n < p; 2 m (n-1)/n bytes sent and received per rank, up to one element per part, plus m
/// bytes for a rank with a guest. Guests have m bytes of scratch, other ranks none. Commutative operations only.
/// Source: De Sensi et al. 2024, "Swing: short-cutting rings for higher bandwidth allreduce".
using swing = folded<by_reversal<allgather::swing>, detail::swing_label>;

}}}  // namespace collsched::COLLSCHED_ABI::allreduce
