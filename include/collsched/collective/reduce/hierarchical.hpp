#pragma once

#include "collsched/collective/broadcast/hierarchical.hpp"
#include "collsched/combine/reverse.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace reduce {

/// A reduce on every node to its leader, then a reduce among the leaders, of which the root is one: the reverse of
/// broadcast::hierarchical, with combination. Keeps the order of operands if every node hosts consecutive
/// ranks, and both parts keep it; over trees for root 0 only.
///
/// Rounds are those of the broadcast. Every rank but the root sends m bytes once, and has m bytes of scratch.
/// Source: Karonis et al. 2000, for the broadcast.
template <described Inner = broadcast::over_tree<trees::binomial>, described Outer = Inner>
struct hierarchical {
    rank_t ranks = 1;
    rank_t root = 0;
    bytes_t bytes = 0;
    bytes_t element = 1;
    topology::placement placement{};
    Inner inner{};
    Outer outer{};

    static constexpr algorithm_info info = collsched::detail::reversed_info<broadcast::hierarchical<Inner, Outer>>;

    constexpr auto view() const {
        return collsched::detail::reversed_view(broadcast::hierarchical<Inner, Outer>{.ranks = ranks,
                                                                                      .root = root,
                                                                                      .bytes = bytes,
                                                                                      .element = element,
                                                                                      .placement = placement,
                                                                                      .inner = inner,
                                                                                      .outer = outer});
    }
    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::reversed_parameters<broadcast::hierarchical<Inner, Outer>>(self, f);
    }
    static constexpr void parts(auto& self, auto f) { f(self.inner), f(self.outer); }
    bool operator==(const hierarchical&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::reduce
