#pragma once

#include "collsched/collective/gather/linear.hpp"
#include "collsched/collective/reduce/reversals.hpp"
#include "collsched/collective/scatter/over_tree.hpp"
#include "collsched/combine/rename_buffers.hpp"
#include "collsched/combine/then.hpp"
#include "collsched/tree/binomial.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace reduce_scatter {

/// A reduce of all blocks to rank 0 over a binomial tree, then a scatter over it. Keeps the order of operands.
///
/// Rounds 2 ceil(log2 p). Every rank but 0 sends p blocks up, and those of its subtree but its own down. Rank 0
/// receives p ceil(log2 p) blocks and sends p-1. Scratch is p blocks per rank; on rank 0 they have the layout of
/// `input`, including gaps.
/// Source: Open MPI, non-overlapping.
struct reduce_then_scatter {
    rank_t ranks = 1;
    block_layout block = 0;
    bytes_t element = 1;

    static constexpr algorithm_info info{.collective = collective::reduce_scatter,
                                         .name = "reduce-then-scatter",
                                         .rounds = "2 ceil(log2 p)",
                                         .source = "Open MPI"};

    constexpr auto view() const {
        const contract contract = contract_of(*this);
        const argument_error error = check_parameters(*this);
        const bytes_t all = error ? 0 : block.prefix(ranks);
        // A single rank has its block at its final place from the start.
        const bool single_rank = ranks == 1;
        const buffer held = single_rank ? buffer::output : buffer::scratch;
        block_layout down = block;
        if (single_rank && !error) down = block_layout(block.count(0));
        const auto reducing = [contract, single_rank, held](rank_t r, buffer b) -> region {
            const location start{b == buffer::input ? b : held, 0};
            if (single_rank && b != buffer::input) return start;
            if (b == buffer::input || (b == buffer::output && r == 0))
                return {start, contract.layout(), contract.ranks};
            return start;
        };
        const auto scattering = [held](rank_t, buffer b) { return location{b == buffer::input ? held : b, 0}; };
        return then(
            rename_buffers(reduce::over_tree<trees::binomial>{.ranks = ranks, .bytes = all, .element = element},
                           reducing, contract),
            rename_buffers(scatter::over_tree<trees::binomial>{.ranks = ranks, .block = down}, scattering, contract));
    }

    static constexpr void parameters(auto& self, auto f) { collsched::detail::contract_parameters(self, f); }
    bool operator==(const reduce_then_scatter&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::reduce_scatter
