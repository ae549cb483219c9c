#pragma once

#include "collsched/collective/barrier/dissemination.hpp"
#include "collsched/collective/barrier/over_tree.hpp"
#include "collsched/collective/hierarchy.hpp"
#include "collsched/tree/binomial.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace barrier {

/// Signals from the ranks of every node to its leader, a barrier among the leaders, and signals back. Supports any
/// placement and nodes with different numbers of ranks.
///
/// Rounds: twice the steps of Tree for the largest number of ranks on a node, plus those of Outer among nodes.
template <described Outer = dissemination, rooted_tree Tree = trees::binomial>
struct hierarchical {
    rank_t ranks = 1;
    topology::placement placement{};
    Outer outer{};

    static constexpr algorithm_info info{.collective = collective::barrier,
                                         .name = "hierarchical",
                                         .rounds = "inter-node rounds + 2 x intra-node rounds of the largest node",
                                         .source = "Karonis et al. 2000"};

    constexpr auto view() const {
        const contract whole = contract_of(*this);
        const rank_groups groups = groups_of(placement, ranks);
        const auto release = [groups](rank_t g) { return detail::signal_tree<Tree>{.ranks = groups.size(g)}; };
        const auto arrive = [release](rank_t g) { return reverse(release(g)); };
        const auto across = [among = with_contract(outer, {.ranks = groups.groups()})](rank_t) { return among; };
        const auto as_it_is = [](rank_t, buffer b) { return location{b, 0}; };
        const auto leaders = leaders_of(groups);
        return then(
            run_in_groups(groups, arrive, as_it_is, whole),
            then(run_in_groups(leaders, across, as_it_is, whole), run_in_groups(groups, release, as_it_is, whole)));
    }
    constexpr argument_error check() const { return check_placement(placement, ranks); }

    static constexpr void parameters(auto& self, auto f) {
        f("ranks", self.ranks);
        f("placement", self.placement);
    }
    static constexpr void parts(auto& self, auto f) { f(self.outer), f(over_tree<Tree>{}); }
    bool operator==(const hierarchical&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::barrier
