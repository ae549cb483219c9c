#pragma once

#include "collsched/core/bits.hpp"
#include "collsched/core/checked.hpp"
#include "collsched/core/detail/sort.hpp"
#include "collsched/schedule/contract.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// A rank that sends to n others, or receives from n, needs ceil(log2(n+1)) rounds.
constexpr contract::lower_bounds exchange_bounds(const block_matrix& blocks, rank_t ranks) {
    if (blocks.uniform()) return {blocks.count(0, 1) > 0 ? ceil_log2(ranks) : 0, (ranks - 1) * blocks.count(0, 1)};
    contract::lower_bounds bounds;
    for (rank_t r = 0; r < ranks; ++r) {
        bytes_t out = 0, in = 0;
        rank_t targets = 0, sources = 0;
        for (rank_t other = 0; other < ranks; ++other) {
            if (other == r) continue;
            out += blocks.count(r, other), targets += blocks.count(r, other) > 0 ? 1 : 0;
            in += blocks.count(other, r), sources += blocks.count(other, r) > 0 ? 1 : 0;
        }
        const step_t rounds = ceil_log2((targets > sources ? targets : sources) + 1);
        const bytes_t bytes = out > in ? out : in;
        if (bounds.rounds < rounds) bounds.rounds = rounds;
        if (bounds.bytes < bytes) bounds.bytes = bytes;
    }
    return bounds;
}

/// Returns ceil(2 m (p-1) / p), or the largest 64-bit integer on overflow.
constexpr bytes_t allreduce_bytes(bytes_t m, rank_t ranks) {
    return saturated(checked(m) + (m - (m / ranks * 2 + m % ranks * 2 / ranks)));
}

/// Bytes to or from another rank.
struct far_bytes {
    rank_t rank = 0;
    bytes_t bytes = 0;
};

/// Returns the bounds of the first n entries: ceil(log2(ranks + 1)) rounds, and the sum of bytes; with `distinct`, one
/// entry per rank counts.
constexpr contract::lower_bounds far_bounds(owned_array<far_bytes>& all, std::int64_t n, bool distinct) {
    sort(all.begin(), n, [](const far_bytes& a, const far_bytes& b) { return a.rank < b.rank; });
    contract::lower_bounds bounds;
    rank_t ranks = 0;
    for (std::int64_t i = 0; i < n; ++i) {
        const bool is_new = i == 0 || all[i].rank != all[i - 1].rank;
        ranks += is_new ? 1 : 0;
        bounds.bytes += is_new || !distinct ? all[i].bytes : 0;
    }
    bounds.rounds = ceil_log2(ranks + 1);
    return bounds;
}

/// A block with several targets must be sent once at least, and a block with several slots at one rank received once.
constexpr contract::lower_bounds neighbor_bounds(const contract& c) {
    const neighborhood& n = c.neighbors();
    const bool gathered = c.slots().is_gathered();
    owned_array<far_bytes> far(n.largest_degree());
    contract::lower_bounds bounds;
    for (rank_t r = 0; r < c.ranks; ++r) {
        std::int64_t count = 0;
        const auto add = [&](rank_t other, bytes_t bytes) {
            if (other >= 0 && other != r && bytes > 0) far[count++] = {other, bytes};
        };
        const auto raise = [&](const contract::lower_bounds& least) {
            if (bounds.rounds < least.rounds) bounds.rounds = least.rounds;
            if (bounds.bytes < least.bytes) bounds.bytes = least.bytes;
            count = 0;
        };
        for (rank_t i = 0; i < n.out_degree(r); ++i) add(n.target(r, i), c.slots().sent(n, r, i).size);
        const bytes_t block_bytes = count > 0 ? far[0].bytes : 0;
        const contract::lower_bounds out = far_bounds(far, count, false);
        raise({out.rounds, gathered ? block_bytes : out.bytes});
        for (rank_t j = 0; j < n.in_degree(r); ++j)
            if (n.source(r, j) >= 0) add(n.source(r, j), c.slots().received(n, r, j).size);
        raise(far_bounds(far, count, gathered));
    }
    return bounds;
}

}  // namespace detail

/// Returns the lower bounds of a contract.
///
/// Rounds: ceil(log2 n) where data must move from one rank to n-1 others, or back. Bytes: m for broadcast, reduce, scan
/// and exscan; the sum of all blocks except the root's (rooted) or the smallest one for collectives that move blocks;
/// ceil(2 m (p-1) / p) for an allreduce. Complexity: O(p); O(p^2) for an irregular alltoall. Source: Patarasuk, Yuan
/// 2009 for the allreduce.
/// @param c  contract without an error
constexpr contract::lower_bounds bounds_of(const contract& c) {
    if (c.ranks == 1) return {};
    if (c.collective == collective::barrier) return {ceil_log2(c.ranks), 0};
    if (c.collective == collective::alltoall) return detail::exchange_bounds(c.matrix(), c.ranks);
    if (has_neighbors(c.collective)) return detail::neighbor_bounds(c);
    const step_t all_ranks = ceil_log2(c.ranks);
    if (c.collective == collective::allreduce)
        return {c.bytes == 0 ? 0 : all_ranks, detail::allreduce_bytes(c.bytes, c.ranks)};
    if (!moves_blocks(c.collective)) return {c.bytes == 0 ? 0 : all_ranks, c.bytes};
    const bytes_t total = c.layout().prefix(c.ranks);
    bytes_t largest = 0;
    rank_t filled = 0;  // ranks other than the root with a block that is not empty
    for (rank_t r = 0; r < c.ranks; ++r) {
        const bytes_t remote_bytes = total - c.layout().count(r);
        if ((!is_rooted(c.collective) || r == c.root) && remote_bytes > largest) largest = remote_bytes;
        if (r != c.root && c.layout().count(r) > 0) ++filled;
    }
    const rank_t involved = is_rooted(c.collective) ? filled + 1 : c.ranks;
    return {largest == 0 ? 0 : ceil_log2(involved), largest};
}

}}  // namespace collsched::COLLSCHED_ABI
