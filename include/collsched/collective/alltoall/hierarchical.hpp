#pragma once

#include "collsched/collective/alltoall/blocks_through_leaders.hpp"
#include "collsched/collective/alltoall/pairwise.hpp"
#include "collsched/collective/gather/over_tree.hpp"
#include "collsched/collective/hierarchy.hpp"
#include "collsched/collective/scatter/over_tree.hpp"
#include "collsched/tree/binomial.hpp"

namespace collsched::inline v0_1::alltoall {

/// On every computer a gather of all that its ranks send to its leader, among the leaders an exchange of whole
/// computers' blocks, and on every computer a scatter. Any placement, computers with different numbers of ranks, any
/// matrix. One message a pair of computers, of many pieces, instead of one a pair of ranks.
///
/// Rounds those of Gather and Scatter for the most ranks on a computer, and those of Outer among computers. Scratch of
/// a leader: all that its computer sends and receives, besides that of the parts. O(p^2) memory.
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

    static constexpr algorithm_info info{.what = collective::alltoall,
                                         .name = "hierarchical",
                                         .rounds = "those among computers + twice those on the fullest one",
                                         .source = "Traeff, Rougier 2014",
                                         .window = Outer::info.window};

    constexpr auto view() const {
        const error wrong = check_parameters(*this);
        const contract whole = contract_of(*this);
        const rank_groups groups = groups_of(placement, wrong ? 1 : ranks);
        const blocks_through_leaders blocks(detail::sound(wrong, block), groups);
        const auto collect = [inner = inner_gather, blocks, groups](rank_t g) {
            return fitted(inner, {.what = collective::gather, .ranks = groups.size(g), .blocks = blocks.rows(g)});
        };
        const auto across =
            [among = fitted(outer, {.what = collective::alltoall, .ranks = groups.groups(), .matrix = blocks.among()})](
                rank_t) { return among; };
        const auto spread = [inner = inner_scatter, blocks, groups](rank_t g) {
            return fitted(inner, {.what = collective::scatter, .ranks = groups.size(g), .blocks = blocks.columns(g)});
        };
        // Scratch of a leader: what its computer sends, what it receives, and what the parts want.
        const bool alone = ranks == 1;
        const auto rest = [blocks, groups](rank_t r) -> region {
            const rank_t g = groups.group(r);
            return {{buffer::scratch, groups.index(r) > 0 ? 0 : blocks.sent(g) + blocks.received(g)}};
        };
        const auto to_leader = [blocks, rest, alone](rank_t r, buffer b) -> region {
            if (b == buffer::scratch) return rest(r);
            if (b == buffer::input) return blocks.row(r);
            if (alone) return blocks.column(r);
            return {{buffer::scratch, 0}};
        };
        const auto between = [blocks, groups, rest, alone](rank_t r, buffer b) -> region {
            if (alone) return blocks.column(r);
            const rank_t g = groups.group(r);
            if (b == buffer::input) return blocks.by_target(g, {buffer::scratch, 0});
            if (b == buffer::output) return blocks.by_source(g, {buffer::scratch, blocks.sent(g)});
            return rest(r);
        };
        const auto to_all = [blocks, groups, rest, alone](rank_t r, buffer b) -> region {
            if (b == buffer::scratch) return rest(r);
            if (alone || b == buffer::output) return blocks.column(r);
            return {{buffer::scratch, blocks.sent(groups.group(r))}};
        };
        const leaders_of<rank_groups> leaders{groups};
        return guarded(wrong, then(side_by_side(groups, collect, to_leader, whole),
                                   then(side_by_side(leaders, across, between, whole),
                                        side_by_side(groups, spread, to_all, whole))));
    }
    constexpr error check() const {
        if (error wrong = check_placement(placement, ranks)) return wrong;
        checked all = 0;
        for (rank_t r = 0; r < ranks; ++r) all = all + block.sent(r, ranks);
        if ((all * 3).ok()) return {};
        return {"block", block.sent(0, ranks), "3 times what all ranks send together below 2^63 bytes"};
    }

    template <class Self, class F>
    static constexpr void parameters(Self& self, F f) {
        f("ranks", self.ranks);
        f("block", self.block);
        f("placement", self.placement);
    }
    template <class Self, class F>
    static constexpr void parts(Self& self, F f) {
        f(self.outer), f(self.inner_gather), f(self.inner_scatter);
    }
    bool operator==(const hierarchical&) const = default;
};

}  // namespace collsched::inline v0_1::alltoall
