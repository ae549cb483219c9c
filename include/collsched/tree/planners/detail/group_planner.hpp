#pragma once

#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/tree/tree_plan.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace planners { namespace detail {

/// Base of the planners that plan among any ranks, told in ascending order, from one of them, the head:
///
///   Self::among(request, ranks, head)   the edges, in the order in which they are chosen
template <class Self>
struct group_planner {
    constexpr tree_plan operator()(const plan_request& request) const {
        return tree_plan_of(request, [&request] {
            owned_array<rank_t> ranks(request.ranks());
            for (rank_t r = 0; r < ranks.size(); ++r) ranks[r] = r;
            return Self::among(request, ranks, request.root);
        });
    }
    bool operator==(const group_planner&) const = default;
};

}}}}  // namespace collsched::COLLSCHED_ABI::planners::detail
