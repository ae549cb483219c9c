#pragma once

#include "collsched/collective/barrier/dissemination.hpp"
#include "collsched/collective/barrier/over_tree.hpp"
#include "collsched/collective/levels.hpp"
#include "collsched/combine/reverse.hpp"
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
        const collsched::detail::two_levels two(contract_of(*this), groups_of(placement, ranks));
        const auto release = [groups = two.groups](rank_t g) {
            return detail::signal_tree<Tree>{.ranks = groups.size(g)};
        };
        const auto arrive = [release](rank_t g) { return reverse(release(g)); };
        return then(two.within(arrive, collsched::detail::same_buffers),
                    two.across(two.led(outer, two.contract), collsched::detail::same_buffers),
                    two.within(release, collsched::detail::same_buffers));
    }
    constexpr argument_error check() const { return check_levels(*this); }

    static constexpr void parameters(auto& self, auto f) {
        f("ranks", self.ranks);
        f("placement", self.placement);
    }
    static constexpr void parts(auto& self, auto f) { f(self.outer), f(over_tree<Tree>{}); }
    bool operator==(const hierarchical&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::barrier
