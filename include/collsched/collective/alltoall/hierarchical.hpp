#pragma once

#include "collsched/collective/alltoall/detail/blocks_through_leaders.hpp"
#include "collsched/collective/alltoall/pairwise.hpp"
#include "collsched/collective/gather/over_tree.hpp"
#include "collsched/collective/levels.hpp"
#include "collsched/collective/scatter/reversals.hpp"
#include "collsched/tree/binomial.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace alltoall {

/// A gather of all blocks of a node to its leader, an exchange of the nodes' blocks among the leaders, and a scatter on
/// every node. Supports any placement, nodes with different numbers of ranks, and any matrix. One message with many
/// contiguous ranges per pair of nodes replaces one message per pair of ranks.
///
/// Rounds: those of Gather and Scatter for the largest number of ranks on a node, plus those of Outer among nodes. With
/// equal blocks, n ranks on each node and the default parts, a rank sends at most (n-1) p + n (p-n) blocks. Scratch of
/// a leader: all bytes that its node sends and receives, in addition to that of the parts. O(p^2) memory.
/// Source: Traeff, Rougier 2014; Open MPI and MVAPICH on multi-core nodes.
template <described Outer = pairwise, described Gather = gather::over_tree<trees::binomial>,
          described Scatter = scatter::over_tree<trees::binomial>>
struct hierarchical {
    rank_t ranks = 1;
    block_matrix block{};
    topology::placement placement{};
    Outer outer{};
    Gather inner_gather{};
    Scatter inner_scatter{};

    static constexpr algorithm_info info{.collective = collective::alltoall,
                                         .name = "hierarchical",
                                         .rounds = "inter-node rounds + 2 x intra-node rounds of the largest node",
                                         .source = "Traeff, Rougier 2014",
                                         .window = Outer::info.window};

    constexpr auto view() const {
        const argument_error error = collsched::detail::check_parameters(*this);
        const collsched::detail::two_levels two(contract_of(*this), groups_of(placement, error ? 1 : ranks));
        const rank_groups& groups = two.groups;
        const detail::blocks_through_leaders blocks(collsched::detail::sound(error, block), groups);
        const auto collect = two.parts(inner_gather, [blocks](rank_t g) {
            return contract{.collective = collective::gather, .blocks = blocks.rows(g)};
        });
        const auto outer_part = two.led(outer, {.collective = collective::alltoall, .blocks = blocks.group_matrix()});
        const auto spread = two.parts(inner_scatter, [blocks](rank_t g) {
            return contract{.collective = collective::scatter, .blocks = blocks.columns(g)};
        });
        // Scratch of a leader: the bytes that its node sends, those that it receives, and the scratch of the parts.
        const bool single_rank = ranks == 1;
        const auto inner_scratch = [blocks, groups](rank_t r) -> region {
            const rank_t g = groups.group(r);
            return {{buffer::scratch, groups.index(r) > 0 ? 0 : blocks.sent(g) + blocks.received(g)}};
        };
        const auto to_leader = [blocks, inner_scratch, single_rank](rank_t r, buffer b) -> region {
            if (b == buffer::scratch) return inner_scratch(r);
            if (b == buffer::input) return blocks.row(r);
            if (single_rank) return blocks.column(r);
            return {{buffer::scratch, 0}};
        };
        const auto between = [blocks, groups, inner_scratch, single_rank](rank_t r, buffer b) -> region {
            if (single_rank) return blocks.column(r);
            const rank_t g = groups.group(r);
            if (b == buffer::input) return blocks.by_target(g, {buffer::scratch, 0});
            if (b == buffer::output) return blocks.by_source(g, {buffer::scratch, blocks.sent(g)});
            return inner_scratch(r);
        };
        const auto to_all = [blocks, groups, inner_scratch, single_rank](rank_t r, buffer b) -> region {
            if (b == buffer::scratch) return inner_scratch(r);
            if (single_rank || b == buffer::output) return blocks.column(r);
            return {{buffer::scratch, blocks.sent(groups.group(r))}};
        };
        return then(two.within(collect, to_leader), two.across(outer_part, between), two.within(spread, to_all));
    }
    constexpr argument_error check() const {
        if (argument_error error = check_levels(*this)) return error;
        checked all = 0;
        for (rank_t r = 0; r < ranks; ++r) all = all + block.sent(r, ranks);
        if ((all * 3).ok()) return {};
        return {"block", block.sent(0, ranks), "3 times the bytes that all ranks send together below 2^63"};
    }

    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::contract_parameters(self, f);
        f("placement", self.placement);
    }
    static constexpr void parts(auto& self, auto f) { f(self.outer), f(self.inner_gather), f(self.inner_scatter); }
    bool operator==(const hierarchical&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::alltoall
