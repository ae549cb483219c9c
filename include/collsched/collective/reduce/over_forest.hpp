#pragma once

#include "collsched/collective/broadcast/over_forest.hpp"
#include "collsched/combine/reverse.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace reduce {

/// Reduce over the trees of a root in a forest: the operands of each part of the message are combined up its tree. The
/// reverse of broadcast::over_forest, with combination.
///
/// Rounds and segments are those of the broadcast. Every rank but the root sends all bytes once, and has as much
/// scratch. Messages go from `to` to `from` of an edge, so the forest has to suit the network with all links reversed.
/// Reorders the operands: commutative operations only.
/// Source: Zhao et al. 2024.
struct over_forest {
    rank_t ranks = 1;
    rank_t root = 0;
    bytes_t bytes = 0;
    bytes_t element = 1;
    bytes_t segment = 0;
    step_t window = 1;
    trees::planned_forest forest{};

    static constexpr algorithm_info info = collsched::detail::reversed_info<broadcast::over_forest>;

    constexpr auto view() const {
        return collsched::detail::reversed_view(broadcast::over_forest{.ranks = ranks,
                                                                       .root = root,
                                                                       .bytes = bytes,
                                                                       .element = element,
                                                                       .segment = segment,
                                                                       .window = window,
                                                                       .forest = forest});
    }
    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::reversed_parameters<broadcast::over_forest>(self, f);
    }
    bool operator==(const over_forest&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::reduce
