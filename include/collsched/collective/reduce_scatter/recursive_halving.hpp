#pragma once

#include "collsched/collective/allgather/recursive_doubling.hpp"
#include "collsched/combine/reverse.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace reduce_scatter {

namespace detail {

/// See recursive_halving.
struct recursive_halving_label {
    static constexpr const char* name = "recursive-halving";
};

}  // namespace detail

/// Ranks at distance p/2, p/4, ..., 1 exchange the half of their remaining blocks that belongs to the other's side. The
/// reverse of allgather::recursive_doubling. If p is no power of two, 2j+1 first sends 2j all its operands, and finally
/// receives its block from 2j.
///
/// Rounds log2 p, or floor(log2 p) + 2. Every rank sends p-1 blocks. It receives p-1, or less than 3(p-1) if p is no
/// power of two. Reorders the operands: commutative operations only. Every rank has p blocks of scratch.
/// Source: Thakur, Rabenseifner, Gropp 2005.
struct recursive_halving {
    rank_t ranks = 1;
    block_layout block = 0;
    bytes_t element = 1;

    static constexpr algorithm_info info =
        collsched::detail::reversed_info<allgather::recursive_doubling, detail::recursive_halving_label>;

    constexpr auto view() const {
        return collsched::detail::reversed_view(allgather::recursive_doubling{.ranks = ranks, .block = block}, element);
    }
    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::reversed_parameters<allgather::recursive_doubling>(self, f);
    }
    bool operator==(const recursive_halving&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::reduce_scatter
