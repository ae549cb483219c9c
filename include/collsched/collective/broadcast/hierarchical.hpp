#pragma once

#include "collsched/collective/broadcast/over_tree.hpp"
#include "collsched/collective/hierarchy.hpp"
#include "collsched/tree/binomial.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace broadcast {

/// A broadcast among leaders, then a broadcast on every node from its leader. Each node has one leader; the root is the
/// leader of its node. Each other node receives the message once. Supports any placement, nodes with different numbers
/// of ranks, and any root.
///
/// Rounds: those of Outer for as many ranks as there are nodes with ranks, plus those of Inner for the largest number
/// of ranks on a node. Every rank but the root receives m bytes once. With n ranks on each of c nodes and the default
/// parts, a rank sends at most m (ceil(log2 n) + ceil(log2 c)) bytes. Scratch is that of the parts, none over trees.
/// Source: Karonis et al. 2000.
template <described Inner = over_tree<trees::binomial>, described Outer = Inner>
struct hierarchical {
    rank_t ranks = 1;
    rank_t root = 0;
    bytes_t bytes = 0;
    bytes_t element = 1;
    topology::placement placement{};
    Inner inner{};
    Outer outer{};

    static constexpr algorithm_info info{.collective = collective::broadcast,
                                         .name = "hierarchical",
                                         .rounds = "inter-node rounds + intra-node rounds of the largest node",
                                         .source = "Karonis et al. 2000"};

    constexpr auto view() const {
        const argument_error error = collsched::detail::check_parameters(*this);
        const contract whole = contract_of(*this);
        const rank_groups groups = groups_of(placement, ranks);
        const rank_t home = error ? 0 : groups.group(root), seat = error ? 0 : groups.index(root);
        contract part = whole;
        part.ranks = groups.groups();
        part.root = home;
        const auto across = [among = with_contract(outer, part)](rank_t) { return among; };
        const auto within = [inner = inner, part, groups, home, seat](rank_t g) {
            contract own = part;
            own.ranks = groups.size(g);
            own.root = g == home ? seat : 0;
            return with_contract(inner, own);
        };
        // On one node the broadcast there reads `input`, and the one leader has nothing to copy before.
        const auto reading = [](bool input) {
            return [input](rank_t, buffer b) { return location{b == buffer::input && !input ? buffer::output : b, 0}; };
        };
        const bool one_node = groups.groups() == 1;
        const auto leaders = leaders_of(groups, error ? -1 : root);
        return then(run_in_groups(leaders, across, reading(!one_node), whole),
                    run_in_groups(groups, within, reading(one_node), whole));
    }
    constexpr argument_error check() const { return check_placement(placement, ranks); }
    /// Returns whether the reverse of this broadcast combines operands in rank order. In reverse, operands of
    /// consecutive ranks are combined first.
    constexpr bool reverse_keeps_order() const {
        if (collsched::detail::check_parameters(*this)) return false;
        const rank_groups groups = groups_of(placement, ranks);
        if (!groups.consecutive()) return false;
        if constexpr (requires { inner.reverse_keeps_order() && outer.reverse_keeps_order(); }) {
            const contract within{.ranks = groups.size(groups.group(root)), .root = groups.index(root)};
            const contract across{.ranks = groups.groups(), .root = groups.group(root)};
            return with_contract(inner, within).reverse_keeps_order() &&
                   with_contract(outer, across).reverse_keeps_order();
        } else {
            return false;
        }
    }

    static constexpr void parameters(auto& self, auto f) {
        f("ranks", self.ranks);
        f("root", self.root);
        f("bytes", self.bytes);
        f("element", self.element);
        f("placement", self.placement);
    }
    static constexpr void parts(auto& self, auto f) { f(self.inner), f(self.outer); }
    bool operator==(const hierarchical&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::broadcast
