#pragma once

#include "collsched/schedule/parameters.hpp"
#include "collsched/schedule/lowering.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace reduce {

/// Every rank sends all its bytes to the root, which combines them on arrival: one rank per step, in ascending relative
/// rank r+1 .. p-1, 0 .. r-1 for root r.
///
/// Keeps the order of operands for every root. The operands of the ranks above the root are combined after its own
/// operand, in its output. Those of the ranks below are combined in m bytes of scratch, which a last local step
/// combines before the output. Root 0 needs no scratch.
///
/// Rounds p-1, with one message of m bytes in each; none without bytes. Pacing window 1: messages do not overlap.
/// Source: folklore.
struct linear {
    rank_t ranks = 1;
    rank_t root = 0;
    bytes_t bytes = 0;
    bytes_t element = 1;

    static constexpr algorithm_info info{
        .collective = collective::reduce, .name = "linear", .rounds = "p-1", .source = "folklore", .window = 1};

    constexpr step_t steps() const { return ranks + (root > 0 ? 1 : 0); }
    constexpr step_range active(rank_t r) const {
        const step_t turn = wrap(r - root, ranks);
        return r == root ? step_range{0, steps() - 1} : step_range{turn, turn};
    }
    constexpr bytes_t scratch(rank_t r) const { return r == root && root > 0 ? bytes : 0; }

    constexpr void targets(rank_t r, step_t k, auto f) const {
        if (k > 0 && k == wrap(r - root, ranks)) f(root);
    }
    constexpr void sources(rank_t r, step_t k, auto f) const {
        if (r == root && k > 0 && k < ranks) f(wrap(root + k, ranks));
    }
    constexpr void transfers(rank_t src, rank_t, step_t, auto f) const {
        const bool first_below = src == 0;
        f(edge{.size = bytes,
               .into = src > root ? buffer::output : buffer::scratch,
               .action = first_below ? action::copy : action::combine_after});
    }
    constexpr void local(rank_t r, step_t k, auto f) const {
        if (r != root) return;
        if (k == 0) f(edge{.size = bytes});
        if (k == ranks) f(edge{.size = bytes, .from = buffer::scratch, .action = action::combine_before});
    }

    static constexpr void parameters(auto& self, auto f) { collsched::detail::contract_parameters(self, f); }
    bool operator==(const linear&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::reduce
