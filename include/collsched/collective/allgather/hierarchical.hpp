#pragma once

#include "collsched/collective/allgather/circulant.hpp"
#include "collsched/collective/broadcast/over_tree.hpp"
#include "collsched/collective/gather/over_tree.hpp"
#include "collsched/collective/levels.hpp"
#include "collsched/tree/binomial.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace allgather {

/// A gather to the leader of every node, an allgather of the nodes' blocks among the leaders, and a broadcast of all
/// blocks on every node. Supports any placement, nodes with different numbers of ranks, and any layout of blocks. All
/// blocks are received at their places in `output`. If consecutive ranks are on different nodes, messages have several
/// contiguous ranges.
///
/// Rounds: those of Gather and Broadcast for the largest number of ranks on a node, plus those of Outer among nodes. A
/// leader receives p-1 blocks, every other rank p or more. With n ranks on each node and the default parts, a rank
/// sends at most p ceil(log2 n) + p - n blocks. Scratch is that of the parts. O(p) memory.
/// Source: Karonis et al. 2000.
template <described Outer = circulant, described Gather = gather::over_tree<trees::binomial>,
          described Broadcast = broadcast::over_tree<trees::binomial>>
struct hierarchical {
    rank_t ranks = 1;
    block_layout block = 0;
    topology::placement placement{};
    Outer outer{};
    Gather inner_gather{};
    Broadcast inner_broadcast{};

    static constexpr algorithm_info info{.collective = collective::allgather,
                                         .name = "hierarchical",
                                         .rounds = "inter-node rounds + 2 x intra-node rounds of the largest node",
                                         .source = "Karonis et al. 2000"};

    constexpr auto view() const {
        const argument_error error = check_parameters(*this);
        const collsched::detail::two_levels two(contract_of(*this), groups_of(placement, ranks));
        const rank_groups& groups = two.groups;
        const collsched::detail::blocks_in_groups blocks(collsched::detail::sound(error, block), groups);
        const auto collect = two.parts(inner_gather, [blocks](rank_t g) {
            return contract{.collective = collective::gather, .blocks = blocks.inside(g)};
        });
        const auto outer_part = two.led(outer, {.collective = collective::allgather, .blocks = blocks.group_layout()});
        const auto spread = two.parts(inner_broadcast, [total = blocks.group_layout().prefix(groups.groups())](rank_t) {
            return contract{.collective = collective::broadcast, .bytes = total};
        });
        const auto to_leader = [blocks, groups](rank_t r, buffer b) -> region {
            if (b == buffer::output) return blocks.of_group(groups.group(r), b);
            return {{b, 0}};
        };
        const auto group_blocks = [blocks, groups](rank_t r, buffer b) -> region {
            if (b == buffer::scratch) return {{b, 0}};
            if (b == buffer::input) return blocks.of_group(groups.group(r), buffer::output);
            return blocks.in(b);
        };
        const auto all_blocks = [blocks](rank_t, buffer b) -> region {
            if (b == buffer::scratch) return {{b, 0}};
            return blocks.in(buffer::output);
        };
        return then(two.within(collect, to_leader), two.across(outer_part, group_blocks),
                    two.within(spread, all_blocks));
    }
    constexpr argument_error check() const { return check_levels(*this); }

    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::contract_parameters(self, f);
        f("placement", self.placement);
    }
    static constexpr void parts(auto& self, auto f) { f(self.outer), f(self.inner_gather), f(self.inner_broadcast); }
    bool operator==(const hierarchical&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::allgather
