#pragma once

#include <cstdint>

#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/tree/binomial.hpp"
#include "collsched/tree/planners/detail/group_planner.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace planners {

/// Planner of the binomial tree with halving distances over ranks counted cyclically from the root; edges step by step,
/// within a step in ascending positions of the senders. O(p log p).
struct binomial : detail::group_planner<binomial> {
    static constexpr const char* name = "bt";
    static constexpr const char* source = "folklore";

    static constexpr owned_array<trees::tree_edge> group_edges(const tree_plan::request&,
                                                               const owned_array<rank_t>& ranks, rank_t head) {
        const trees::binomial tree;
        const rank_t p = ranks.size();
        rank_t first = 0;
        while (ranks[first] != head) ++first;
        owned_array<trees::tree_edge> edges(p - 1);
        std::int64_t n = 0;
        for (step_t k = 0; k < tree.steps(p); ++k)
            for (rank_t v = 0; v < p; ++v)
                if (const rank_t to = tree.child(p, v, k); to >= 0)
                    edges[n++] = {ranks[wrap(first + v, p)], ranks[wrap(first + to, p)]};
        return edges;
    }
};

}}}  // namespace collsched::COLLSCHED_ABI::planners
