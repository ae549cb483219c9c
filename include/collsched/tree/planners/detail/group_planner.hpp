#pragma once

#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/tree/tree_plan.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace planners { namespace detail {

/// Base of planners for any subset of ranks. Self defines
///
///   group_edges(request, ranks, head)   returns the edges in order of choice; ranks are ascending, head is the root
template <class Self>
struct group_planner {
    constexpr tree_plan operator()(const tree_plan::request& request) const {
        return tree_plan_of(request, [&request] {
            owned_array<rank_t> ranks(request.ranks());
            for (rank_t r = 0; r < ranks.size(); ++r) ranks[r] = r;
            return Self::group_edges(request, ranks, request.root);
        });
    }
    bool operator==(const group_planner&) const = default;
};

}}}}  // namespace collsched::COLLSCHED_ABI::planners::detail
