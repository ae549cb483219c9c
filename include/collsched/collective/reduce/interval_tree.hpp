#pragma once

#include "collsched/collective/broadcast/interval_tree.hpp"
#include "collsched/combine/reverse.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace reduce {

/// Reduce up the canonical tree of rank intervals (rank_interval): the reverse of broadcast::interval_tree. For every
/// root the result is the canonical tree: for n ranks (the first ceil(n/2)) op (the others), recursively.
///
/// Rounds ceil(log2 p). Every rank but the root sends m bytes once, and has m bytes of scratch. Keeps the order of
/// operands.
/// Source: Thakur, Rabenseifner, Gropp 2005 for powers of two.
struct interval_tree {
    rank_t ranks = 1;
    rank_t root = 0;
    bytes_t bytes = 0;
    bytes_t element = 1;

    static constexpr algorithm_info info = [] {
        algorithm_info result = collsched::detail::reversed_info<broadcast::interval_tree>;
        result.commutative = false;
        return result;
    }();

    constexpr auto view() const {
        return collsched::detail::reversed_view(
            broadcast::interval_tree{.ranks = ranks, .root = root, .bytes = bytes, .element = element});
    }
    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::reversed_parameters<broadcast::interval_tree>(self, f);
    }
    bool operator==(const interval_tree&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::reduce
