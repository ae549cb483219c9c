#pragma once

#include "collsched/collective/broadcast/planned.hpp"
#include "collsched/combine/reverse.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace reduce {

/// Reduce up the tree of a planner for messages to the root: the reverse of broadcast::planned, with combination.
/// Reorders the operands: commutative operations only.
///
/// Rounds depend on the plan. Every rank but the root sends all bytes once, and has as much scratch.
template <planner Planner>
struct planned {
    rank_t ranks = 1;
    rank_t root = 0;
    bytes_t bytes = 0;
    bytes_t element = 1;
    bytes_t segment = 0;
    cluster_model cluster{};

    static constexpr algorithm_info info =
        collsched::detail::reversed_info<broadcast::planned<Planner, tree_plan::direction::many_to_one>>;

    constexpr auto view() const {
        return collsched::detail::reversed_view(broadcast::planned<Planner, tree_plan::direction::many_to_one>{
            .ranks = ranks, .root = root, .bytes = bytes, .element = element, .segment = segment, .cluster = cluster});
    }
    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::reversed_parameters<broadcast::planned<Planner, tree_plan::direction::many_to_one>>(self, f);
    }
    bool operator==(const planned&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::reduce
