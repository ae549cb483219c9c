#pragma once

#include "collsched/schedule/parameters.hpp"
#include "collsched/core/digits.hpp"
#include "collsched/schedule/lowering.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace allgather {

/// Concatenation with growing distances. In step i rank r sends, for every digit d = 1 .. k-1 of base k = radix, the
/// first min(k^i, p - d k^i) of its collected blocks r, r+1, ... to r - d k^i. Blocks are collected in scratch (p
/// blocks). Local copies in a last step without messages put them in rank order.
///
/// Rounds ceil(log_k p), with at most k-1 messages per rank in each; every rank sends and receives p-1 blocks and
/// copies p+1 of them (p = 1: one). ALCD for radix 2: sum over i < ceil(log2 p) of 2 * 2^i * (p - 2^i), divided by p *
/// ceil(log2 p).
/// Source: Bruck, Ho, Kipnis, Upfal, Weathersby 1997; Chen et al. 2006, section 2.3.
struct bruck {
    rank_t ranks = 1;
    block_layout block = 0;
    std::int64_t radix = 2;

    static constexpr algorithm_info info{
        .collective = collective::allgather, .name = "bruck", .rounds = "ceil(log_k p)", .source = "Bruck et al. 1997"};

    constexpr collsched::detail::rotated_store store() const { return {block, ranks}; }
    constexpr argument_error check() const {
        return radix < 2 ? argument_error{"radix", radix, "2 or more"} : argument_error{};
    }
    constexpr step_t steps() const { return ceil_log(radix, ranks); }

    constexpr void targets(rank_t r, step_t k, auto f) const {
        digit_distances(radix, k, ranks, [&](rank_t distance) { f(wrap(r - distance, ranks)); });
    }
    constexpr void sources(rank_t r, step_t k, auto f) const {
        digit_distances(radix, k, ranks, [&](rank_t distance) { f(wrap(r + distance, ranks)); });
    }
    constexpr void message(rank_t src, rank_t dst, step_t k, auto f) const {
        const rank_t held = power(radix, k), missing = ranks - wrap(src - dst, ranks);
        f(block_interval{src, held < missing ? held : missing});
    }

    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::contract_parameters(self, f);
        f("radix", self.radix);
    }
    bool operator==(const bruck&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::allgather
