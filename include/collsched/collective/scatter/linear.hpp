#pragma once

#include "collsched/collective/gather/linear.hpp"
#include "collsched/combine/reverse.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace scatter {

/// The root sends one block per step, in ascending relative rank: the reverse of a linear gather, with the same rounds
/// and bytes. No scratch.
struct linear {
    rank_t ranks = 1;
    rank_t root = 0;
    block_layout block = 0;

    static constexpr algorithm_info info = collsched::detail::reversed_info<gather::detail::linear_in_turn<true>>;

    constexpr auto view() const {
        return collsched::detail::reversed_view(
            gather::detail::linear_in_turn<true>{.ranks = ranks, .root = root, .block = block});
    }
    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::reversed_parameters<gather::detail::linear_in_turn<true>>(self, f);
    }
    bool operator==(const linear&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::scatter
