#pragma once

#include "collsched/collective/hierarchy.hpp"
#include "collsched/collective/scatter/over_tree.hpp"
#include "collsched/tree/binomial.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace scatter {

/// The root sends the blocks of every other node, in one message, to its leader; then every leader scatters them on its
/// node. The root is the leader of its node. Supports any placement, nodes with different numbers of ranks, any layout
/// of blocks, and any root.
///
/// Rounds: those of Outer for as many ranks as there are nodes with ranks, plus those of Inner for the largest number
/// of ranks on a node. The root sends all blocks but its own. A leader has scratch for the blocks of its node. O(p)
/// memory.
template <described Inner = over_tree<trees::binomial>, described Outer = Inner>
struct hierarchical {
    rank_t ranks = 1;
    rank_t root = 0;
    block_layout block = 0;
    topology::placement placement{};
    Inner inner{};
    Outer outer{};

    static constexpr algorithm_info info{.collective = collective::scatter,
                                         .name = "hierarchical",
                                         .rounds = "inter-node rounds + intra-node rounds of the largest node",
                                         .source = "Karonis et al. 2000"};

    constexpr auto view() const {
        const argument_error error = collsched::detail::check_parameters(*this);
        const contract whole = contract_of(*this);
        const rank_groups groups = groups_of(placement, ranks);
        const collsched::detail::blocks_in_groups blocks(collsched::detail::sound(error, block), groups);
        const auto leaders = leaders_of(groups, error ? -1 : root);
        const rank_t root_group = error ? 0 : groups.group(root), root_index = error ? 0 : groups.index(root);
        const auto across = [among = with_contract(outer, {.collective = collective::scatter,
                                                           .ranks = groups.groups(),
                                                           .root = root_group,
                                                           .blocks = blocks.among()})](rank_t) { return among; };
        const auto within = [inner = inner, blocks, groups, root_group, root_index](rank_t g) {
            return with_contract(inner, {.collective = collective::scatter,
                                         .ranks = groups.size(g),
                                         .root = g == root_group ? root_index : 0,
                                         .blocks = blocks.inside(g)});
        };
        // The blocks of a node are in scratch at its leader, in input at the root.
        const auto held = [blocks, groups, root_group](rank_t r) -> region {
            const rank_t g = groups.group(r);
            if (g == root_group) return blocks.of_group(g, buffer::input);
            return {{buffer::scratch, 0}};
        };
        const auto room = [blocks, groups, leaders, root_group](rank_t r) -> region {
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
        return then(run_in_groups(leaders, across, to_leaders, whole), run_in_groups(groups, within, to_all, whole));
    }
    constexpr argument_error check() const { return check_placement(placement, ranks); }

    static constexpr void parameters(auto& self, auto f) {
        f("ranks", self.ranks);
        f("root", self.root);
        f("block", self.block);
        f("placement", self.placement);
    }
    static constexpr void parts(auto& self, auto f) { f(self.inner), f(self.outer); }
    bool operator==(const hierarchical&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::scatter
