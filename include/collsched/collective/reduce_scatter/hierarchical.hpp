#pragma once

#include "collsched/collective/allgather/circulant.hpp"
#include "collsched/collective/allgather/interval_halving.hpp"
#include "collsched/collective/broadcast/interval_tree.hpp"
#include "collsched/collective/broadcast/over_tree.hpp"
#include "collsched/collective/levels.hpp"
#include "collsched/collective/scatter/over_tree.hpp"
#include "collsched/combine/reverse.hpp"
#include "collsched/tree/binomial.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace reduce_scatter {

/// A reduce of all blocks to the leader of every node, a reduce_scatter of the nodes' blocks among the leaders, and a
/// scatter on every node. Supports any placement, nodes with different numbers of ranks, and any layout of blocks.
/// Inner is the broadcast whose reverse is the reduce.
///
/// Rounds: those of Inner and Scatter for the largest number of ranks on a node, plus those of Outer among nodes. With
/// equal blocks, n ranks on each node, n a power of two, and the default parts, a rank sends at most p + n/2 - 1
/// blocks. Scratch of a leader: all blocks, those of its node, and that of Outer; of other ranks that of the reduce.
/// O(p) memory. Keeps the order of operands if every node hosts consecutive ranks and Inner and Outer keep it.
template <described Outer = reversed<allgather::circulant>, described Inner = broadcast::over_tree<trees::binomial>,
          described Scatter = scatter::over_tree<trees::binomial>>
struct hierarchical {
    rank_t ranks = 1;
    block_layout block = 0;
    bytes_t element = 1;
    topology::placement placement{};
    Outer outer{};
    Inner inner{};
    Scatter inner_scatter{};

    static constexpr algorithm_info info{.collective = collective::reduce_scatter,
                                         .name = "hierarchical",
                                         .rounds = "inter-node rounds + 2 x intra-node rounds of the largest node",
                                         .source = "Karonis et al. 2000",
                                         .commutative = true};

    constexpr auto view() const {
        const argument_error error = check_parameters(*this);
        collsched::detail::two_levels two(contract_of(*this), groups_of(placement, ranks));
        const rank_groups& groups = two.groups;
        const collsched::detail::blocks_in_groups blocks(collsched::detail::sound(error, block), groups);
        const bytes_t total = blocks.group_layout().prefix(groups.groups());
        const auto collect = two.parts(reversed<Inner>{.of = inner}, [total, element = element](rank_t) {
            return contract{.collective = collective::reduce, .bytes = total, .element = element};
        });
        const Outer outer_part = two.led(
            outer, {.collective = collective::reduce_scatter, .blocks = blocks.group_layout(), .element = element});
        const auto spread = two.parts(inner_scatter, [blocks](rank_t g) {
            return contract{.collective = collective::scatter, .blocks = blocks.inside(g)};
        });
        two.contract.commutative = !groups.consecutive() || lower(collect(0)).contract().commutative ||
                                   lower(outer_part).contract().commutative;
        // A single rank needs no scratch.
        const bool single_rank = ranks == 1;
        // Scratch of a leader: the sums of its node, then the results for it, then the scratch of the parts. Other
        // ranks store the operands that they send up, then the blocks that they forward.
        const auto to_leader = [blocks, groups, total, single_rank](rank_t r, buffer b) -> region {
            if (single_rank && b == buffer::output) return {{b, 0}};
            if (b == buffer::input) return blocks.in(b);
            return {{buffer::scratch, b == buffer::scratch && groups.index(r) == 0 ? total : 0}};
        };
        const auto results = [blocks, groups, total, single_rank](rank_t r, buffer b) -> region {
            if (single_rank) return {{buffer::output, 0}};
            const bytes_t group_bytes = blocks.bytes(groups.group(r));
            return {{buffer::scratch, b == buffer::input ? 0 : b == buffer::output ? total : total + group_bytes}};
        };
        const auto to_all = [groups, results](rank_t r, buffer b) -> region {
            if (b == buffer::output) return {{b, 0}};
            if (groups.index(r) > 0) return {{b, 0}};
            return results(r, b == buffer::input ? buffer::output : b);
        };
        return then(two.within(collect, to_leader), two.across(outer_part, results), two.within(spread, to_all));
    }
    constexpr argument_error check() const {
        if (argument_error error = check_levels(*this)) return error;
        const bool fits = (checked(block.prefix(ranks)) * 4).ok();
        return fits ? argument_error{}
                    : argument_error{"block", block.count(0), "4 times all blocks together below 2^63 bytes"};
    }

    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::contract_parameters(self, f);
        f("placement", self.placement);
    }
    static constexpr void parts(auto& self, auto f) { f(self.outer), f(self.inner), f(self.inner_scatter); }
    bool operator==(const hierarchical&) const = default;
};

/// reduce::interval_tree of all blocks to the leader of every node, reduce_scatter::interval_halving of the nodes' blocks
/// among the leaders, and a binomial scatter on every node. Every element of the result is the canonical tree of all
/// ranks: for n ranks (the first ceil(n/2)) op (the others), recursively. Rejects placements that are not aligned: see
/// check_aligned.
using interval_hierarchical =
    collsched::detail::on_aligned_nodes<hierarchical<reversed<allgather::interval_halving>, broadcast::interval_tree>>;

}}}  // namespace collsched::COLLSCHED_ABI::reduce_scatter
