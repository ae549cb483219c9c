#pragma once

#include "collsched/collective/broadcast/interval_tree.hpp"
#include "collsched/collective/broadcast/over_tree.hpp"
#include "collsched/collective/levels.hpp"
#include "collsched/combine/reverse.hpp"
#include "collsched/tree/binomial.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace broadcast {

namespace detail {

/// broadcast::hierarchical or, for collective::reduce, its reverse.
template <collective Collective, described Inner, described Outer>
struct message_in_levels {
    rank_t ranks = 1;
    rank_t root = 0;
    bytes_t bytes = 0;
    bytes_t element = 1;
    topology::placement placement{};
    Inner inner{};
    Outer outer{};

    using forward = message_in_levels<collective::broadcast, Inner, Outer>;
    static constexpr bool reverses = Collective == collective::reduce;
    static constexpr algorithm_info info{.collective = Collective,
                                         .name = "hierarchical",
                                         .rounds = "inter-node rounds + intra-node rounds of the largest node",
                                         .source = "Karonis et al. 2000",
                                         .commutative = reverses};

    constexpr auto view() const {
        if constexpr (reverses)
            return collsched::detail::reversed_view(forward{ranks, root, bytes, element, placement, inner, outer});
        else return both_levels();
    }
    constexpr argument_error check() const { return check_levels(*this); }
    /// Returns whether the reverse of this broadcast combines operands in rank order. In reverse, operands of
    /// consecutive ranks are combined first.
    constexpr bool reverse_keeps_order() const {
        if (check_parameters(*this)) return false;
        const rank_groups groups = groups_of(placement, ranks);
        if (!groups.consecutive()) return false;
        if constexpr (requires { inner.reverse_keeps_order() && outer.reverse_keeps_order(); }) {
            const contract within{.ranks = groups.size(groups.group(root)), .root = groups.index(root)};
            const contract across{.ranks = groups.groups(), .root = groups.group(root)};
            return with_contract(inner, within).reverse_keeps_order() &&
                   collsched::detail::two_levels(contract_of(*this), groups).led(outer, across).reverse_keeps_order();
        } else {
            return false;
        }
    }

    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::contract_parameters(self, f);
        f("placement", self.placement);
    }
    static constexpr void parts(auto& self, auto f) { f(self.inner), f(self.outer); }
    bool operator==(const message_in_levels&) const = default;

  private:
    constexpr auto both_levels() const {
        const argument_error error = check_parameters(*this);
        const collsched::detail::two_levels two(contract_of(*this), groups_of(placement, ranks), error ? -1 : root);
        const rank_groups& groups = two.groups;
        const rank_t root_group = error ? 0 : groups.group(root), root_index = error ? 0 : groups.index(root);
        contract leader_contract = two.contract;
        leader_contract.root = root_group;
        const auto within = two.parts(inner, [leader_contract, root_group, root_index](rank_t g) {
            contract part = leader_contract;
            part.root = g == root_group ? root_index : 0;
            return part;
        });
        // On one node the broadcast there reads `input`, and the one leader has nothing to copy before.
        const auto reading = [](bool input) {
            return [input](rank_t, buffer b) { return location{b == buffer::input && !input ? buffer::output : b, 0}; };
        };
        const bool one_node = groups.groups() == 1;
        return then(two.across(two.led(outer, leader_contract), reading(!one_node)),
                    two.within(within, reading(one_node)));
    }
};

}  // namespace detail

/// A broadcast among leaders, then a broadcast on every node from its leader. Each node has one leader; the root is the
/// leader of its node. Each other node receives the message once. Supports any placement, nodes with different numbers
/// of ranks, and any root.
///
/// Rounds: those of Outer for as many ranks as there are nodes with ranks, plus those of Inner for the largest number
/// of ranks on a node. Every rank but the root receives m bytes once. With n ranks on each of c nodes and the default
/// parts, a rank sends at most m (ceil(log2 n) + ceil(log2 c)) bytes. Scratch is that of the parts, none over trees.
/// Source: Karonis et al. 2000.
template <described Inner = over_tree<trees::binomial>, described Outer = Inner>
using hierarchical = detail::message_in_levels<collective::broadcast, Inner, Outer>;

}}}  // namespace collsched::COLLSCHED_ABI::broadcast

namespace collsched { inline namespace COLLSCHED_ABI { namespace reduce {

/// A reduce on every node to its leader, then a reduce among the leaders, of which the root is one: the reverse of
/// broadcast::hierarchical, with combination. Keeps the order of operands if every node hosts consecutive
/// ranks, and both parts keep it; over trees for root 0 only. Inner and Outer are broadcasts.
///
/// Rounds are those of the broadcast. Every rank but the root sends m bytes once, and has m bytes of scratch.
/// Source: Karonis et al. 2000, for the broadcast.
template <described Inner = broadcast::over_tree<trees::binomial>, described Outer = Inner>
using hierarchical = broadcast::detail::message_in_levels<collective::reduce, Inner, Outer>;

/// reduce::interval_tree to the leader of every node, then among the leaders, of which the root is one. For every root
/// the result is the canonical tree of all ranks: for n ranks (the first ceil(n/2)) op (the others), recursively. Rejects
/// placements that are not aligned: see check_aligned.
using interval_hierarchical = collsched::detail::on_aligned_nodes<hierarchical<broadcast::interval_tree>>;

}}}  // namespace collsched::COLLSCHED_ABI::reduce
