#pragma once

#include "collsched/schedule/parameters.hpp"
#include "collsched/schedule/lowering.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace allgather {

/// Every block is passed once around the ring: in step k rank r sends block r-k to r+1.
///
/// Rounds p-1; every rank sends and receives p-1 blocks. No scratch. ALCD 2 - 2/p.
/// Source: Thakur, Rabenseifner, Gropp 2005; Chen et al. 2006, section 2.1.
struct ring {
    rank_t ranks = 1;
    block_layout block = 0;

    static constexpr algorithm_info info{.collective = collective::allgather,
                                         .name = "ring",
                                         .rounds = "p-1",
                                         .source = "Thakur, Rabenseifner, Gropp 2005"};

    constexpr step_t steps() const { return ranks - 1; }

    constexpr void targets(rank_t r, step_t, auto f) const { f(wrap(r + 1, ranks)); }
    constexpr void sources(rank_t r, step_t, auto f) const { f(wrap(r - 1, ranks)); }
    constexpr void message(rank_t src, rank_t, step_t k, auto f) const { f(block_interval{wrap(src - k, ranks), 1}); }

    static constexpr void parameters(auto& self, auto f) { collsched::detail::contract_parameters(self, f); }
    bool operator==(const ring&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::allgather
