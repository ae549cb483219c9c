#pragma once

#include <vector>

#include "collsched/schedule/stored_schedule.hpp"

namespace support {

using namespace collsched;

/// A schedule written edge by edge; scratch and staging alike on every rank.
inline stored_schedule by_hand(const contract& contract, step_t steps, const std::vector<edge>& edges,
                               bytes_t scratch = 0, bytes_t staging = 0, pacing paced = {}) {
    owned_array<bytes_t> room(contract.ranks), waiting(contract.ranks);
    for (bytes_t& size : room) size = scratch;
    for (bytes_t& size : waiting) size = staging;
    return {contract, steps, paced, room, waiting, owned_array<edge>(std::span<const edge>(edges)), 1};
}

/// Reduce of m bytes to rank 0 in operand order: every rank sends to 0, one a step, p-1 last; rank 0 combines after its own.
inline stored_schedule linear_reduce(rank_t ranks, bytes_t bytes, action what = action::combine_after) {
    std::vector<edge> edges{{.size = bytes}};
    for (rank_t r = 1; r < ranks; ++r)
        edges.push_back({.step = r, .src = r, .dst = 0, .size = bytes, .into = buffer::output, .action = what});
    return by_hand({.collective = collective::reduce, .ranks = ranks, .bytes = bytes}, ranks, edges, 0, bytes);
}

/// A dissemination barrier: in step k every rank signals the rank at distance 2^k.
inline stored_schedule dissemination_barrier(rank_t ranks) {
    std::vector<edge> edges;
    step_t steps = 0;
    for (rank_t distance = 1; distance < ranks; distance *= 2, ++steps)
        for (rank_t r = 0; r < ranks; ++r) edges.push_back({.step = steps, .src = r, .dst = (r + distance) % ranks});
    return by_hand({.collective = collective::barrier, .ranks = ranks}, steps, edges);
}

}  // namespace support
