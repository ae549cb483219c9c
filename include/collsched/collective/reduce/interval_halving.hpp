#pragma once

#include "collsched/collective/allgather/interval_halving.hpp"
#include "collsched/collective/reduce/reduce_scatter_gather.hpp"
#include "collsched/combine/relabel.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace reduce {

namespace detail {

struct interval_halving_label {
    static constexpr const char* name = "interval-halving";
    static constexpr const char* rounds = "2 ceil(log2 p)";
};

}  // namespace detail

/// reduce_scatter::interval_halving of p parts of the message, then a binomial gather of the results. For every root
/// each element of the result is the canonical tree: for n ranks (the first ceil(n/2)) op (the others), recursively.
///
/// Rank r has the part of its place in interval_order, and the tree of the gather is that of the places. So the parts
/// of a message are consecutive.
///
/// Rounds 2 ceil(log2 p); see reduce_scatter_gather. A rank sends less than 3/2 m bytes, up to one element per part.
/// Keeps the order of operands. Time O(log p) per message.
/// Source: Rabenseifner 2004 for powers of two.
struct interval_halving {
    using by_place =
        reduce_scatter_gather<allgather::detail::interval_halving_by_place, detail::interval_halving_label>;

    rank_t ranks = 1;
    rank_t root = 0;
    bytes_t bytes = 0;
    bytes_t element = 1;

    static constexpr algorithm_info info = [] {
        algorithm_info result = by_place::info;
        result.commutative = false;
        return result;
    }();

    constexpr auto view() const {
        const interval_order order{ranks};
        const rank_t place = collsched::detail::check_parameters(*this) ? 0 : order.virtual_rank(root);
        return relabel(by_place{.ranks = ranks, .root = place, .bytes = bytes, .element = element}, order,
                       contract_of(*this));
    }

    static constexpr void parameters(auto& self, auto f) {
        f("ranks", self.ranks);
        f("root", self.root);
        f("bytes", self.bytes);
        f("element", self.element);
    }
    bool operator==(const interval_halving&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::reduce
