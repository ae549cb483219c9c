#pragma once

#include "collsched/collective/allgather/by_dimension.hpp"
#include "collsched/collective/allgather/circulant.hpp"
#include "collsched/collective/allgather/pat.hpp"
#include "collsched/collective/allgather/recursive_multiplying.hpp"
#include "collsched/collective/allgather/swing.hpp"
#include "collsched/collective/allgather/trivance.hpp"
#include "collsched/collective/allreduce/by_reversal.hpp"
#include "collsched/collective/broadcast/circulant.hpp"
#include "collsched/collective/broadcast/over_tree.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace allreduce {

namespace detail {

struct by_dimension_label {
    static constexpr const char* rounds = "twice the sum of n-1 over the dimensions";
};
struct circulant_label {
    static constexpr const char* rounds = "2 ceil(log2 p)";
};
struct circulant_blocks_label {
    static constexpr const char* name = "circulant-blocks";
    static constexpr const char* rounds = "2 (S-1 + ceil(log2 p))";
};
struct trivance_label {
    static constexpr const char* rounds = "2 ceil(log3 p)";
};
struct k_reduce_scatter_allgather_label {
    static constexpr const char* name = "k-reduce-scatter-allgather";
    static constexpr const char* rounds = "2 log_k p; 2 floor(log_k p) + 4 where p is no power of k";
};

}  // namespace detail

/// reduce_scatter::bine, then allgather::bine. Rounds 2 ceil(log2 p); 2 m (p-1)/p bytes sent and received per rank, up
/// to one element per part; p even. No scratch. Commutative operations only. Source: De Sensi et al. 2025, "Bine
/// trees".
using bine = by_reversal<allgather::bine>;

/// reduce_scatter::by_dimension, then allgather::by_dimension.
///
/// Rounds: twice the sum of n-1 over the dimensions, with n ranks or rows in them. If rows are equal, 2 m (p-1)/p bytes
/// are sent and received per rank, up to one element per part. No scratch. Commutative operations only.
/// Source: folklore.
using by_dimension = by_reversal<allgather::by_dimension, detail::by_dimension_label>;

/// reduce_scatter::circulant, then allgather::circulant.
///
/// Rounds 2 ceil(log2 p), and 2 m (p-1)/p bytes sent and received by every rank, for every p. The number of bytes is
/// minimal, and so is the number of rounds for that number of bytes. No scratch. Commutative operations only.
/// Source: Traeff 2024, "Optimal, non-pipelined reduce-scatter and allreduce algorithms".
using circulant = by_reversal<allgather::circulant, detail::circulant_label>;

/// reduce::circulant to rank 0, then broadcast::circulant, both in S = ceil(bytes / segment) pieces.
///
/// Rounds 2 (S-1 + ceil(log2 p)) for every p; every rank sends and receives at most 2S - 1 + ceil(log2 p) pieces, about
/// 2 m bytes for many pieces. No scratch. Commutative operations only.
/// Source: Traeff 2024, "Optimal broadcast schedules in logarithmic time with applications".
using circulant_blocks = by_reversal<broadcast::circulant, detail::circulant_blocks_label>;

/// reduce_scatter::trivance, then allgather::trivance: the form of Trivance for long messages.
///
/// Rounds 2 ceil(log3 p), with two messages per rank in a round, and 2 m (p-1)/p bytes sent and received by every rank, up
/// to one element per part, for every p. No scratch. Commutative operations only. The form for short messages is
/// trivance_latency.
/// Source: that of allgather::trivance.
using trivance = by_reversal<allgather::trivance, detail::trivance_label>;

/// reduce_scatter::recursive_multiplying, then allgather::recursive_multiplying, with groups of k = radix ranks.
///
/// Rounds 2 log_k p, or 2 floor(log_k p) + 4, with up to k-1 messages per rank; 2 m (p-1)/p bytes sent and received per
/// rank if p is a power of k, less than 2 k m otherwise, up to one element per part. No scratch. Commutative operations
/// only. Source: MPICH's recursive exchange.
using k_reduce_scatter_allgather =
    by_reversal<allgather::recursive_multiplying, detail::k_reduce_scatter_allgather_label>;

/// Reduce up a tree to rank 0, then broadcast down it. Segments are pipelined in both directions, and the broadcast of
/// a segment begins as soon as it is reduced. Each of the double binary trees carries half of the segments.
///
/// Rounds and messages are twice those of broadcast::over_tree. In a single tree a rank sends and receives at most
/// (children + 1) m bytes. No scratch. Keeps the order of operands over trees in order: binomial, chain, in-order
/// binary.
template <class Tree>
using over_tree = by_reversal<broadcast::over_tree<Tree>>;

/// reduce_scatter::pat, then allgather::pat, with at most `aggregate` parts of the message per message. Rounds twice
/// those of allgather::pat; 2 m (p-1)/p bytes sent and received per rank, up to one element per part. No scratch.
/// Commutative operations only. Source: Jeaugey 2025, "PAT".
using pat = by_reversal<allgather::pat>;

}}}  // namespace collsched::COLLSCHED_ABI::allreduce
