#pragma once

#include <cstdint>

#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/tree/planners/detail/group_planner.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace planners {

/// Planner in which the root sends to all other ranks in ascending order. O(p).
struct flat_tree : detail::group_planner<flat_tree> {
    static constexpr const char* name = "ft";
    static constexpr const char* source = "folklore";

    static constexpr owned_array<trees::tree_edge> group_edges(const tree_plan::request&,
                                                               const owned_array<rank_t>& ranks, rank_t head) {
        owned_array<trees::tree_edge> edges(ranks.size() - 1);
        std::int64_t n = 0;
        for (const rank_t r : ranks)
            if (r != head) edges[n++] = {head, r};
        return edges;
    }
};

}}}  // namespace collsched::COLLSCHED_ABI::planners
