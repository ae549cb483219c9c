#pragma once

#include <cstdint>

#include "collsched/core/checked.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/topology/detail/link_orbits.hpp"
#include "collsched/topology/detail/max_flow.hpp"
#include "collsched/topology/translations.hpp"
#include "collsched/tree/detail/switch_walks.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace trees { namespace detail {

/// Returns the level of each rank: the number of ranks on a path from rank 0 that passes as few as possible, without
/// rank 0 itself. O(arcs).
/// @pre rank 0 reaches all ranks
inline signed_vector<rank_t> hop_levels(const topology::detail::flow_graph& graph, rank_t ranks) {
    signed_vector<rank_t> level(static_cast<std::size_t>(graph.vertices()), -1), open(1, 0), next;
    level[0] = 0;
    for (rank_t reached = 0; !open.empty(); open.swap(next), ++reached) {
        next.clear();
        for (std::int64_t head = 0; head < open.length(); ++head)
            for (const auto& half : graph.incident(open[head])) {
                if (!half.forward || level[half.other] >= 0) continue;
                const bool is_rank = half.other < ranks;
                level[half.other] = is_rank ? reached + 1 : reached;
                (is_rank ? next : open).push_back(half.other);
            }
    }
    level.resize(static_cast<std::size_t>(ranks));
    return level;
}

/// Returns the position of each rank in an order in which the next rank is the one that can receive most from those
/// before it, over all walks together; of several, the one that could do so first, then that of the least number. Where
/// links are few between parts of a network, the order fills a part before it enters the next. O(ranks^2 + ranks *
/// starts of all walks).
inline signed_vector<rank_t> capacity_order(const topology::network::translations& group, const link_orbits& orbits,
                                            const walk_search& found) {
    const auto ranks = static_cast<std::size_t>(group.ranks());
    const signed_vector<switch_walk>& walks = found.walks();
    signed_vector<std::int64_t> received(ranks, 0), width;  // per walk, what its links carry for each rank
    for (const switch_walk& walk : walks) {
        std::int64_t least = 0;
        for (const std::int64_t o : walk.orbits) {
            const std::int64_t all = collsched::detail::saturated(checked(orbits.bandwidth[o]) * orbits.size[o]);
            least = least == 0 || all < least ? all : least;
        }
        width.push_back(least / group.ranks());
    }
    signed_vector<signed_vector<char>> used(ranks, signed_vector<char>(walks.size(), 0));
    signed_vector<rank_t> position(ranks, -1), since(ranks, 0);
    rank_t next = 0;
    for (rank_t count = 0; count < group.ranks(); ++count) {
        position[next] = count;
        for (std::int64_t w = 0; w < walks.length(); ++w)
            for (const std::int64_t start : walks[w].starts) {
                const rank_t child = group.image(next, group.inverse(found.steps()[start].vertex));
                if (used[child][w]) continue;
                used[child][w] = 1;
                since[child] = count;
                received[child] = collsched::detail::saturated(checked(received[child]) + width[w]);
            }
        rank_t best = -1;
        for (rank_t v = 0; v < group.ranks(); ++v) {
            if (position[v] >= 0) continue;
            if (best < 0 || received[v] > received[best] || (received[v] == received[best] && since[v] < since[best]))
                best = v;
        }
        next = best;
    }
    return position;
}

}}}}  // namespace collsched::COLLSCHED_ABI::trees::detail
