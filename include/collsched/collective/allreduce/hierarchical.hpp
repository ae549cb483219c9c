#pragma once

#include "collsched/collective/allreduce/in_groups.hpp"
#include "collsched/collective/allreduce/recursive_doubling.hpp"
#include "collsched/collective/broadcast/over_tree.hpp"
#include "collsched/collective/hierarchy.hpp"

namespace collsched::inline v0_1::allreduce {

/// On every computer a reduce to its leader, an allreduce among the leaders, and on every computer a broadcast: see
/// in_groups. Any placement, computers with different numbers of ranks. Inner is the broadcast, Outer the allreduce.
///
/// Rounds twice those of Inner for the most ranks on a computer, and those of Outer among computers. Keeps the order of
/// operands where every computer holds neighbouring ranks and both parts keep it.
template <described Outer = recursive_doubling, described Inner = broadcast::over_tree<trees::binomial>>
struct hierarchical {
    rank_t ranks = 1;
    bytes_t bytes = 0;
    bytes_t element = 1;
    topology::placement placement{};
    Inner inner{};
    Outer outer{};

    static constexpr algorithm_info info{.what = collective::allreduce,
                                         .name = "hierarchical",
                                         .rounds = "those among computers + twice those on the fullest one",
                                         .source = "Karonis et al. 2000",
                                         .commutative = true};

    constexpr auto view() const {
        const rank_groups groups = groups_of(placement, ranks);
        return guarded(check_parameters(*this),
                       in_groups(contract_of(*this), groups, groups.consecutive(), inner, outer));
    }
    constexpr error check() const { return check_placement(placement, ranks); }

    template <class Self, class F>
    static constexpr void parameters(Self& self, F f) {
        f("ranks", self.ranks);
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

}  // namespace collsched::inline v0_1::allreduce
