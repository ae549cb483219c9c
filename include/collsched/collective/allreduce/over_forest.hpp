#pragma once

#include "collsched/collective/allgather/over_forest.hpp"
#include "collsched/collective/allreduce/by_reversal.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace allreduce {

/// Allreduce over the trees of forests: reduce_scatter::over_forest of p parts of the message, then
/// allgather::over_forest of the results.
///
/// The operands go up the trees of `reversed_forest`, which is packed for the network with all links reversed, and the
/// results go down those of `forest`. Both cut the parts of the message in proportion to the weights of their own trees.
/// Without `reversed_forest` the operands go up the trees of `forest`, which has to suit the network in both directions
/// of its links.
///
/// Rounds and messages are the sums of those of both collectives. Every rank sends the bytes that it receives in the
/// allgather over `reversed_forest` and those that it sends in the one over `forest`. No scratch. Commutative operations
/// only. Window w is that of both, for the longer one of their longest paths.
/// Source: Zhao et al. 2024.
struct over_forest {
    rank_t ranks = 1;
    bytes_t bytes = 0;
    bytes_t element = 1;
    bytes_t segment = 0;
    step_t window = 1;
    trees::planned_forest forest{};
    trees::planned_forest reversed_forest{};

    static constexpr algorithm_info info = by_reversal<allgather::over_forest>::info;

    constexpr auto view() const {
        const bool both_ways = reversed_forest.value().trees.empty() && !reversed_forest.check(reversed_forest.ranks());
        const trees::planned_forest& up = both_ways ? forest : reversed_forest;
        const step_t of_up = up.hops()->longest, of_down = forest.hops()->longest;
        const step_t longest = of_up > of_down ? of_up : of_down;
        const auto half = [this](const trees::planned_forest& trees, step_t more) {
            return allgather::over_forest{
                .segment = segment, .window = window > 0 ? window + more : window, .forest = trees};
        };
        return detail::reverse_then(half(up, longest - of_up), half(forest, longest - of_down), contract_of(*this));
    }

    static constexpr void parameters(auto& self, auto f) {
        f("ranks", self.ranks);
        f("bytes", self.bytes);
        f("element", self.element);
        f("segment", self.segment);
        f("window", self.window);
        f("forest", self.forest);
        f("reversed_forest", self.reversed_forest);
    }
    bool operator==(const over_forest&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::allreduce
