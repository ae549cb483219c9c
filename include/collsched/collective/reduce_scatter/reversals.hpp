#pragma once

#include "collsched/collective/allgather/by_dimension.hpp"
#include "collsched/collective/allgather/circulant.hpp"
#include "collsched/collective/allgather/circulant_blocks.hpp"
#include "collsched/collective/allgather/interval_halving.hpp"
#include "collsched/collective/allgather/k_ring.hpp"
#include "collsched/collective/allgather/linear.hpp"
#include "collsched/collective/allgather/locality_bruck.hpp"
#include "collsched/collective/allgather/over_dimensions.hpp"
#include "collsched/collective/allgather/pat.hpp"
#include "collsched/collective/allgather/recursive_doubling.hpp"
#include "collsched/collective/allgather/recursive_multiplying.hpp"
#include "collsched/collective/allgather/ring.hpp"
#include "collsched/collective/allgather/swing.hpp"
#include "collsched/collective/allgather/trivance.hpp"
#include "collsched/combine/reverse.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace reduce_scatter {

namespace detail {

struct pairwise_label {
    static constexpr const char* name = "pairwise";
    static constexpr const char* source = "Thakur, Rabenseifner, Gropp 2005";
};
struct recursive_halving_label {
    static constexpr const char* name = "recursive-halving";
};
struct ring_label {
    static constexpr const char* source = "Patarasuk, Yuan 2009";
};

}  // namespace detail

/// The reverse of allgather::bine. At level s = q-1, ..., 1, 0, q = ceil(log2 p), a rank sends its
/// allgather::detail::swing_peer all but 2^s of its remaining blocks: the cyclically consecutive blocks on the peer's side.
///
/// Rounds ceil(log2 p), p even (or 1); every rank sends and receives p-1 blocks. Reorders the operands: commutative
/// operations only. Every rank has p blocks of scratch.
/// Source: De Sensi et al. 2025, "Bine trees".
using bine = reversed<allgather::bine>;

/// Direct exchange along one dimension of a mesh of ranks after the other, the last one first: a rank sends to the ranks
/// at its place in the other rows the sums of their blocks, and finally to every rank of its row that of its block. The
/// reverse of allgather::by_dimension.
///
/// Rounds: the sum of n-1 over the dimensions, with n ranks or rows in them. Every rank sends p-1 blocks, in as many
/// messages as rounds. It receives p-1 if rows are equal. Reorders the operands: commutative operations only. Every rank
/// has p blocks of scratch.
/// Source: folklore.
using by_dimension = reversed<allgather::by_dimension>;

/// The reverse of allgather::circulant. Over the skips s_q = p, s_k = ceil(s_{k+1} / 2) rank r sends, for k = q-1 .. 0,
/// the partial sums of the blocks r + s_k .. r + s_{k+1} - 1 to r + s_k.
///
/// Rounds q = ceil(log2 p) for every p; every rank sends and receives p-1 blocks, in q messages. Both numbers are
/// optimal. Reorders the operands: commutative operations only. Every rank has p blocks of scratch.
/// Source: Traeff 2024.
using circulant = reversed<allgather::circulant>;

/// Simultaneous reductions of all blocks in pieces over a circulant graph: the reverse of allgather::circulant_blocks,
/// with combination. Reorders the operands: commutative operations only.
///
/// Rounds S-1+ceil(log2 p), where the largest block is cut into S pieces of at most `segment` bytes (0: one), for every
/// p. Every rank sends every other block once, in messages of at most m/S + p * element bytes for m bytes of all
/// blocks. Every rank has m bytes of scratch.
/// Source: Traeff 2024.
using circulant_blocks = reversed<allgather::circulant_blocks>;

/// Halves of the intervals of the canonical tree (rank_interval) exchange operands, the smallest intervals first: the
/// reverse of allgather::interval_halving. The result of every block is the canonical tree: for n ranks (the first
/// ceil(n/2)) op (the others), recursively.
///
/// Rounds ceil(log2 p) for every p. Every rank sends p-1 blocks. It receives p-1 if p is a power of two, else at most
/// 3/2 (p-1), with at most two messages per rank in each round. Keeps the order of operands. Every rank has p blocks of
/// scratch.
/// Source: Thakur, Rabenseifner, Gropp 2005 for powers of two.
using interval_halving = reversed<allgather::interval_halving>;

/// Rings within groups of k = group consecutive ranks, and a ring of the groups: the reverse of allgather::k_ring. All
/// ranks of a group share the transfer of partial sums to the next group.
///
/// Rounds p-1; every rank sends and receives p-1 blocks. k divides p, or is greater. Reorders the operands: commutative
/// operations only. Every rank has p blocks of scratch.
/// Source of the allgather: Wilkins et al. 2023.
using k_ring = reversed<allgather::k_ring>;

/// The ranks of a region of R = group consecutive ranks first combine the operands of blocks of other regions among
/// themselves. Then each of them but one sends sums to different regions. The reverse of allgather::locality_bruck.
///
/// Rounds, for p > 1, ceil(log_R p) * (ceil(log2 R) + 1) - 1, including ceil(log_R p) - 1 between regions. Every rank
/// sends p-1 blocks, in at most one message per step. A region sends and receives p-R blocks, the minimum. R divides p;
/// a region size above p counts as p. Reorders the operands: commutative operations only. Every rank has p blocks of
/// scratch.
/// Source: Bienz, Gautam, Kharel 2022, for the allgather.
using locality_bruck = reversed<allgather::locality_bruck>;

/// In round i = 1 .. p-1 rank r sends its own operand of block r+i to r+i, and combines the operand from r-i with its
/// block. The reverse of allgather::linear, with its window: 0 sends all messages at once, 1 waits for round i-1 before
/// round i.
///
/// Rounds p-1; every rank sends and receives p-1 blocks. Reorders the operands: commutative operations only. Every rank
/// has p blocks of scratch.
/// Source: Thakur, Rabenseifner, Gropp 2005.
using pairwise = reversed<allgather::linear, detail::pairwise_label>;

/// Parallel aggregated trees: the operands of every block are combined up a binomial tree of its own, and A = aggregate
/// congruent edges of a tree share a step. The reverse of allgather::pat.
///
/// Rounds log2 A + min(p, D) - 1 with D = 2^ceil(log2 p) / A; every rank sends and receives p-1 blocks, at most A per
/// message. Reorders the operands: commutative operations only. Every rank has p blocks of scratch.
/// Source: Jeaugey 2025, "PAT"; NCCL.
using pat = reversed<allgather::pat>;

/// Ranks at distance p/2, p/4, ..., 1 exchange the half of their remaining blocks that belongs to the other's side. The
/// reverse of allgather::recursive_doubling. If p is no power of two, 2j+1 first sends 2j all its operands, and finally
/// receives its block from 2j.
///
/// Rounds log2 p, or floor(log2 p) + 2. Every rank sends p-1 blocks. It receives p-1, or less than 3(p-1) if p is no
/// power of two. Reorders the operands: commutative operations only. Every rank has p blocks of scratch.
/// Source: Thakur, Rabenseifner, Gropp 2005.
using recursive_halving = reversed<allgather::recursive_doubling, detail::recursive_halving_label>;

/// Groups of k = radix ranks exchange their remaining blocks, each rank receiving the part of its side: recursive
/// halving in k parts. The reverse of allgather::recursive_multiplying. If p is no power of k, guests first send a host
/// all their operands, and finally receive their block from it.
///
/// Rounds log_k p, or floor(log_k p) + 2, with at most k-1 messages per rank in each. Every rank sends p-1 blocks. It
/// receives p-1, or less than (2k-1)(p-1) if p is no power of k. Reorders the operands: commutative operations only.
/// Every rank has p blocks of scratch.
/// Source: Ruefenacht, Bull, Booth 2017.
using recursive_multiplying = reversed<allgather::recursive_multiplying>;

/// The partial sum of every block is passed once around the ring: in round i = 1 .. p-1 rank r sends that of block r+i
/// to r-1. The reverse of allgather::ring.
///
/// Rounds p-1; every rank sends and receives p-1 blocks. Reorders the operands: commutative operations only. Every rank
/// has p blocks of scratch.
/// Source: Patarasuk, Yuan 2009.
using ring = reversed<allgather::ring, detail::ring_label>;

/// Simultaneous binomial trees to every rank, in order of increasing distance: with d = 1, 2, 4, ... rank r sends the
/// partial sums of the blocks r - d, r - 3d, r - 5d, ... whose distance is less than p to r - d. The reverse of
/// allgather::sparbit.
///
/// Rounds ceil(log2 p) for every p; every rank sends and receives p-1 blocks, in ceil(log2 p) messages. Reorders the
/// operands: commutative operations only. Every rank has p blocks of scratch.
/// Source of the allgather: Loch, Koslovski 2021.
using sparbit = reversed<allgather::sparbit>;

/// Ranks exchange half of their remaining blocks with allgather::detail::swing_peer at level 0, 1, 2, ...: neighbors first,
/// with the longest messages. The reverse of allgather::swing.
///
/// Rounds log2 p, p a power of two; every rank sends and receives p-1 blocks. Reorders the operands: commutative
/// operations only. Every rank has p blocks of scratch.
/// Source: De Sensi et al. 2024, "Swing".
using swing = reversed<allgather::swing>;

/// Ranks send partial sums to both sides of a ring over distances that are powers of 3, about two thirds of their remaining
/// blocks in the first step: the reverse of allgather::trivance. For p a power of 3 the shortest distance is first.
///
/// Rounds ceil(log3 p) for every p; every rank sends and receives p-1 blocks, in at most two messages per round. Reorders
/// the operands: commutative operations only. Every rank has p blocks of scratch.
/// Source: that of allgather::trivance.
using trivance = reversed<allgather::trivance>;

/// reduce_scatter::trivance on the lines of the last dimension of a torus or mesh, with a block per row or plane, then on
/// those of the dimension before: the reverse of allgather::trivance_by_dimension.
///
/// Rounds: the sum of ceil(log3 n) over the dimensions, with n ranks in each. Every rank sends and receives p-1 blocks.
/// Reorders the operands: commutative operations only. Every rank has p blocks of scratch.
/// Source: that of allgather::trivance_by_dimension.
using trivance_by_dimension = reversed<allgather::trivance_by_dimension>;

}}}  // namespace collsched::COLLSCHED_ABI::reduce_scatter
