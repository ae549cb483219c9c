#pragma once

#include "collsched/collective/broadcast/over_tree.hpp"
#include "collsched/collective/hierarchy.hpp"
#include "collsched/tree/binomial.hpp"

namespace collsched::inline v0_1::broadcast {

/// First among leaders, one on each computer, on its own the root; then on every computer from its leader. So the
/// message crosses to each other computer once. Any placement, computers with different numbers of ranks, any root.
///
/// Rounds those of Outer for as many ranks as there are computers with ranks, and those of Inner for the most ranks on
/// one. Every rank but the root receives m bytes once.
template <described Inner = over_tree<trees::binomial>, described Outer = Inner>
struct hierarchical {
    rank_t ranks = 1;
    rank_t root = 0;
    bytes_t bytes = 0;
    bytes_t element = 1;
    topology::placement placement{};
    Inner inner{};
    Outer outer{};

    static constexpr algorithm_info info{.what = collective::broadcast,
                                         .name = "hierarchical",
                                         .rounds = "those among computers + those on the fullest one",
                                         .source = "Karonis et al. 2000"};

    constexpr auto view() const {
        const error wrong = check_parameters(*this);
        const contract whole = contract_of(*this);
        const rank_groups groups = groups_of(placement, ranks);
        const rank_t home = wrong ? 0 : groups.group(root), seat = wrong ? 0 : groups.index(root);
        contract part = whole;
        part.ranks = groups.groups();
        part.root = home;
        const auto across = [among = fitted(outer, part)](rank_t) { return among; };
        const auto within = [inner = inner, part, groups, home, seat](rank_t g) {
            contract own = part;
            own.ranks = groups.size(g);
            own.root = g == home ? seat : 0;
            return fitted(inner, own);
        };
        const auto as_it_is = [](rank_t, buffer b) { return location{b, 0}; };
        const auto in_output = [](rank_t, buffer b) { return location{b == buffer::input ? buffer::output : b, 0}; };
        const leaders_of<rank_groups> leaders{groups, wrong ? -1 : root};
        return guarded(wrong, then(side_by_side(leaders, across, as_it_is, whole),
                                   side_by_side(groups, within, in_output, whole)));
    }
    constexpr error check() const { return check_placement(placement, ranks); }
    /// Run backwards: operands of neighbours come together first.
    constexpr bool reverse_keeps_order() const {
        if (check_parameters(*this) || !groups_of(placement, ranks).consecutive()) return false;
        if constexpr (requires { inner.reverse_keeps_order() && outer.reverse_keeps_order(); })
            return root == 0 && inner.reverse_keeps_order() && outer.reverse_keeps_order();
        else return false;
    }

    template <class Self, class F>
    static constexpr void parameters(Self& self, F f) {
        f("ranks", self.ranks);
        f("root", self.root);
        f("bytes", self.bytes);
        f("element", self.element);
        f("placement", self.placement);
    }
    template <class Self, class F>
    static constexpr void parts(Self& self, F f) {
        f(self.inner), f(self.outer);
    }
    bool operator==(const hierarchical&) const = default;
};

}  // namespace collsched::inline v0_1::broadcast
