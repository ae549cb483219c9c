#pragma once

#include "collsched/collective/barrier/dissemination.hpp"
#include "collsched/collective/barrier/over_tree.hpp"
#include "collsched/collective/hierarchy.hpp"
#include "collsched/tree/binomial.hpp"

namespace collsched::inline v0_1::barrier {

/// On every computer signals to its leader, a barrier among the leaders, and signals back. Any placement, computers
/// with different numbers of ranks.
///
/// Rounds twice the steps of Tree for the most ranks on a computer, and those of Outer among computers.
template <described Outer = dissemination, rooted_tree Tree = trees::binomial>
struct hierarchical {
    rank_t ranks = 1;
    topology::placement placement{};
    Outer outer{};

    static constexpr algorithm_info info{.what = collective::barrier,
                                         .name = "hierarchical",
                                         .rounds = "those among computers + twice those on the fullest one",
                                         .source = "Karonis et al. 2000"};

    constexpr auto view() const {
        const contract whole = contract_of(*this);
        const rank_groups groups = groups_of(placement, ranks);
        const auto release = [groups](rank_t g) { return signal_tree<Tree>{.ranks = groups.size(g)}; };
        const auto arrive = [release](rank_t g) { return reverse(release(g)); };
        const auto across = [among = fitted(outer, {.ranks = groups.groups()})](rank_t) { return among; };
        const auto as_it_is = [](rank_t, buffer b) { return location{b, 0}; };
        const leaders_of<rank_groups> leaders{groups};
        return guarded(check_parameters(*this), then(side_by_side(groups, arrive, as_it_is, whole),
                                                     then(side_by_side(leaders, across, as_it_is, whole),
                                                          side_by_side(groups, release, as_it_is, whole))));
    }
    constexpr error check() const { return check_placement(placement, ranks); }

    template <class Self, class F>
    static constexpr void parameters(Self& self, F f) {
        f("ranks", self.ranks);
        f("placement", self.placement);
    }
    template <class Self, class F>
    static constexpr void parts(Self& self, F f) {
        f(self.outer), f(over_tree<Tree>{});
    }
    bool operator==(const hierarchical&) const = default;
};

}  // namespace collsched::inline v0_1::barrier
