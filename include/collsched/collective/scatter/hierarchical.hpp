#pragma once

#include "collsched/collective/levels.hpp"
#include "collsched/collective/scatter/over_tree.hpp"
#include "collsched/combine/reverse.hpp"
#include "collsched/tree/binomial.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace scatter {

namespace detail {

/// scatter::hierarchical or, for collective::gather, its reverse.
template <collective Collective, described Inner, described Outer>
struct blocks_in_levels {
    rank_t ranks = 1;
    rank_t root = 0;
    block_layout block = 0;
    topology::placement placement{};
    Inner inner{};
    Outer outer{};

    using forward = blocks_in_levels<collective::scatter, Inner, Outer>;
    static constexpr algorithm_info info{.collective = Collective,
                                         .name = "hierarchical",
                                         .rounds = "inter-node rounds + intra-node rounds of the largest node",
                                         .source = "Karonis et al. 2000"};

    constexpr auto view() const {
        if constexpr (Collective == collective::gather)
            return collsched::detail::reversed_view(forward{ranks, root, block, placement, inner, outer});
        else return both_levels();
    }
    constexpr argument_error check() const { return check_levels(*this); }

    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::contract_parameters(self, f);
        f("placement", self.placement);
    }
    static constexpr void parts(auto& self, auto f) { f(self.inner), f(self.outer); }
    bool operator==(const blocks_in_levels&) const = default;

  private:
    constexpr auto both_levels() const {
        const argument_error error = check_parameters(*this);
        const collsched::detail::two_levels two(contract_of(*this), groups_of(placement, ranks), error ? -1 : root);
        const rank_groups& groups = two.groups;
        const collsched::detail::blocks_in_groups blocks(collsched::detail::sound(error, block), groups);
        const rank_t root_group = error ? 0 : groups.group(root), root_index = error ? 0 : groups.index(root);
        const auto outer_part =
            two.led(outer, {.collective = collective::scatter, .root = root_group, .blocks = blocks.group_layout()});
        const auto within = two.parts(inner, [blocks, root_group, root_index](rank_t g) {
            return contract{.collective = collective::scatter,
                            .root = g == root_group ? root_index : 0,
                            .blocks = blocks.inside(g)};
        });
        // The blocks of a node are in scratch at its leader, in input at the root.
        const auto held = [blocks, groups, root_group](rank_t r) -> region {
            const rank_t g = groups.group(r);
            if (g == root_group) return blocks.of_group(g, buffer::input);
            return {{buffer::scratch, 0}};
        };
        const auto room = [blocks, groups, leaders = two.leaders, root_group](rank_t r) -> region {
            const rank_t g = groups.group(r);
            return {{buffer::scratch, g != root_group && leaders.group(r) == 0 ? blocks.bytes(g) : 0}};
        };
        const auto to_leaders = [blocks, held, room](rank_t r, buffer b) -> region {
            if (b == buffer::input) return blocks.in(b);
            if (b == buffer::output) return held(r);
            return room(r);
        };
        const auto to_all = [held, room](rank_t r, buffer b) -> region {
            if (b == buffer::input) return held(r);
            if (b == buffer::output) return {{b, 0}};
            return room(r);
        };
        return then(two.across(outer_part, to_leaders), two.within(within, to_all));
    }
};

}  // namespace detail

/// The root sends the blocks of every other node, in one message, to its leader; then every leader scatters them on its
/// node. The root is the leader of its node. Supports any placement, nodes with different numbers of ranks, any layout
/// of blocks, and any root.
///
/// Rounds: those of Outer for as many ranks as there are nodes with ranks, plus those of Inner for the largest number
/// of ranks on a node. The root sends all blocks but its own. A leader has scratch for the blocks of its node. O(p)
/// memory.
template <described Inner = over_tree<trees::binomial>, described Outer = Inner>
using hierarchical = detail::blocks_in_levels<collective::scatter, Inner, Outer>;

}}}  // namespace collsched::COLLSCHED_ABI::scatter

namespace collsched { inline namespace COLLSCHED_ABI { namespace gather {

/// A gather on every node to its leader, then the blocks of every other node, in one message, to the root: the reverse
/// of scatter::hierarchical. Supports any placement, nodes with different numbers of ranks, any layout of blocks, and
/// any root. Inner and Outer are scatters.
///
/// Rounds, bytes and scratch are those of the scatter.
template <described Inner = scatter::over_tree<trees::binomial>, described Outer = Inner>
using hierarchical = scatter::detail::blocks_in_levels<collective::gather, Inner, Outer>;

}}}  // namespace collsched::COLLSCHED_ABI::gather
