#pragma once

#include "collsched/schedule/parameters.hpp"
#include "collsched/core/bits.hpp"
#include "collsched/schedule/lowering.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace scan {

/// In round k = 0 .. q-1 every rank r sends the combination of operands r-2^k+1 .. r to r+2^k, which combines it before
/// its own. Keeps the order of operands.
///
/// Rounds q = ceil(log2 p) for every p, the minimum for scan. No rank sends or receives more than q m bytes, in p q -
/// 2^q + 1 messages. Step 0 copies `input` to `output`, the accumulator; round k is step k+1. No scratch.
/// Source: Hillis and Steele 1986.
struct recursive_doubling {
    rank_t ranks = 1;
    bytes_t bytes = 0;
    bytes_t element = 1;

    static constexpr algorithm_info info{.collective = collective::scan,
                                         .name = "recursive-doubling",
                                         .rounds = "ceil(log2 p)",
                                         .source = "Hillis, Steele 1986"};

    constexpr step_t steps() const { return 1 + ceil_log2(ranks); }

    constexpr void targets(rank_t r, step_t k, auto f) const {
        if (k > 0 && r + distance(k) < ranks) f(r + distance(k));
    }
    constexpr void sources(rank_t r, step_t k, auto f) const {
        if (k > 0 && r >= distance(k)) f(r - distance(k));
    }
    /// Calls f for the edge of a message, without step and ranks. The first message need not wait for the copy.
    ///
    /// @param k  step, 1 .. steps()-1
    /// @param f  callable, f(edge)
    constexpr void transfers(rank_t, rank_t, step_t k, auto f) const {
        f(edge{.size = bytes, .from = k == 1 ? buffer::input : buffer::output, .action = action::combine_before});
    }
    constexpr void local(rank_t, step_t k, auto f) const {
        if (k == 0) f(edge{.size = bytes});
    }

    static constexpr void parameters(auto& self, auto f) { collsched::detail::contract_parameters(self, f); }
    bool operator==(const recursive_doubling&) const = default;

  private:
    static constexpr rank_t distance(step_t k) { return rank_t{1} << (k - 1); }
};

}}}  // namespace collsched::COLLSCHED_ABI::scan
