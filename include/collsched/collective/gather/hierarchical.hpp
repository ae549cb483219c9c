#pragma once

#include "collsched/collective/scatter/hierarchical.hpp"
#include "collsched/combine/reverse.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace gather {

/// A gather on every node to its leader, then the blocks of every other node, in one message, to the root: the reverse
/// of scatter::hierarchical. Supports any placement, nodes with different numbers of ranks, any layout of blocks, and
/// any root.
///
/// Rounds, bytes and scratch are those of the scatter.
template <described Inner = scatter::over_tree<trees::binomial>, described Outer = Inner>
struct hierarchical {
    rank_t ranks = 1;
    rank_t root = 0;
    block_layout block = 0;
    topology::placement placement{};
    Inner inner{};
    Outer outer{};

    static constexpr algorithm_info info = collsched::detail::reversed_info<scatter::hierarchical<Inner, Outer>>;

    constexpr auto view() const {
        return collsched::detail::reversed_view(scatter::hierarchical<Inner, Outer>{
            .ranks = ranks, .root = root, .block = block, .placement = placement, .inner = inner, .outer = outer});
    }
    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::reversed_parameters<scatter::hierarchical<Inner, Outer>>(self, f);
    }
    static constexpr void parts(auto& self, auto f) { f(self.inner), f(self.outer); }
    bool operator==(const hierarchical&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::gather
