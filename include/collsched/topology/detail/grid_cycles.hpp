#pragma once

#include <cstdint>

#include "collsched/core/rank.hpp"
#include "collsched/topology/detail/signed_vector.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace topology { namespace detail {

/// Calls f(sizes) for the sequences of 1 to `most` sizes, each 2 or more, with the product `ranks`.
template <class F>
void for_each_sizes(rank_t ranks, std::int64_t most, signed_vector<rank_t>& sizes, const F& f) {
    if (ranks == 1 && !sizes.empty()) f(sizes);
    if (sizes.length() == most) return;
    for (rank_t size = 2; size <= ranks; ++size) {
        if (ranks % size != 0) continue;
        sizes.push_back(size);
        for_each_sizes(ranks / size, most, sizes, f);
        sizes.pop_back();
    }
}

/// Returns the ranks of a mesh of these sizes, whose last coordinate varies fastest, in an order in which neighbors of
/// the order differ by 1 in one coordinate, with dimension d removed: all have 0 there. O(ranks of the result).
inline signed_vector<rank_t> boustrophedon(const signed_vector<rank_t>& sizes, std::int64_t removed) {
    signed_vector<rank_t> order{0};
    rank_t stride = 1;
    for (std::int64_t d = sizes.length(); d-- > 0; stride *= sizes[d]) {
        if (d == removed) continue;
        const std::int64_t before = order.length();
        for (rank_t place = 1; place < sizes[d]; ++place)
            for (std::int64_t i = 0; i < before; ++i) {
                const rank_t below = order[place % 2 == 0 ? i : before - 1 - i];
                order.push_back(below + place * stride);
            }
    }
    return order;
}

/// Returns a cycle through the ranks of a mesh of these sizes. It goes along dimension d, without coordinate 0, in turns
/// up and down for the ranks of the other dimensions in boustrophedon order, and returns at coordinate 0.
///
/// Neighbors in the cycle are neighbors in the mesh, but the last of the turns ends at the largest coordinate if the
/// number of turns is odd, and continues at 0: in a torus these are neighbors too. O(ranks).
inline signed_vector<rank_t> grid_cycle(const signed_vector<rank_t>& sizes, std::int64_t d) {
    rank_t stride = 1;
    for (std::int64_t i = d + 1; i < sizes.length(); ++i) stride *= sizes[i];
    const signed_vector<rank_t> turns = boustrophedon(sizes, d);
    signed_vector<rank_t> cycle;
    for (std::int64_t turn = 0; turn < turns.length(); ++turn)
        for (rank_t i = 1; i < sizes[d]; ++i)
            cycle.push_back(turns[turn] + (turn % 2 == 0 ? i : sizes[d] - i) * stride);
    for (std::int64_t turn = turns.length(); turn-- > 0;) cycle.push_back(turns[turn]);
    return cycle;
}

}}}}  // namespace collsched::COLLSCHED_ABI::topology::detail
