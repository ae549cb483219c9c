#pragma once

#include "collsched/collective/allreduce/in_groups.hpp"
#include "collsched/collective/allreduce/interval_doubling.hpp"
#include "collsched/collective/allreduce/recursive_doubling.hpp"
#include "collsched/collective/broadcast/interval_tree.hpp"
#include "collsched/collective/broadcast/over_tree.hpp"
#include "collsched/collective/levels.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace allreduce {

/// A reduce to the leader of every node, an allreduce among the leaders, and a broadcast on every node: see in_groups.
/// Supports any placement and nodes with different numbers of ranks. Inner is the broadcast, Outer the allreduce.
///
/// Rounds: twice those of Inner for the largest number of ranks on a node, plus those of Outer among nodes. Keeps the
/// order of operands if every node hosts consecutive ranks and both parts keep it. Leaders have the scratch of Outer,
/// other ranks have m bytes. With n ranks on each of c nodes and the default parts, a rank sends at most m (ceil(log2
/// n) + floor(log2 c) + 1) bytes.
/// Source: Karonis et al. 2000.
template <described Outer = recursive_doubling, described Inner = broadcast::over_tree<trees::binomial>>
struct hierarchical {
    rank_t ranks = 1;
    bytes_t bytes = 0;
    bytes_t element = 1;
    topology::placement placement{};
    Inner inner{};
    Outer outer{};

    static constexpr algorithm_info info{.collective = collective::allreduce,
                                         .name = "hierarchical",
                                         .rounds = "inter-node rounds + 2 x intra-node rounds of the largest node",
                                         .source = "Karonis et al. 2000",
                                         .commutative = true};

    constexpr auto view() const {
        const rank_groups groups = groups_of(placement, ranks);
        return in_groups(contract_of(*this), groups, groups.consecutive(), inner, outer);
    }
    constexpr argument_error check() const { return check_levels(*this); }

    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::contract_parameters(self, f);
        f("placement", self.placement);
    }
    static constexpr void parts(auto& self, auto f) { f(self.inner), f(self.outer); }
    bool operator==(const hierarchical&) const = default;
};

/// reduce::interval_tree to the leader of every node, allreduce::interval_doubling among the leaders, and
/// broadcast::interval_tree on every node. Every element of the result is the canonical tree of all ranks: for n ranks
/// (the first ceil(n/2)) op (the others), recursively. Rejects placements that are not aligned: see check_aligned.
using interval_hierarchical =
    collsched::detail::on_aligned_nodes<hierarchical<interval_doubling, broadcast::interval_tree>>;

}}}  // namespace collsched::COLLSCHED_ABI::allreduce
