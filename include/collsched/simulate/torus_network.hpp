#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "collsched/simulate/link_network.hpp"
#include "collsched/topology/torus.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Returns a torus with a link in either direction between neighbors, all with the same cost. Messages take the shorter
/// direction, or forwards if both have the same length, along the first dimension first.
/// Source: dimension-order routing.
/// @param shape  sizes of the torus
/// @param cost   cost of every link
inline link_network torus_network(const topology::torus& shape, const lob_model::link_cost& cost) {
    const auto count = static_cast<std::size_t>(2 * shape.dimensions() * shape.nodes());
    return {shape.nodes(), std::vector<link_network::link>(count, {cost}),
            [shape](rank_t from, rank_t to, detail::link_route& route) {
                for (rank_t d = 0; d < shape.dimensions(); ++d) {
                    const rank_t n = shape.size(d);
                    const rank_t ahead = (shape.coordinate(to, d) - shape.coordinate(from, d) + n) % n;
                    const rank_t direction = 2 * ahead <= n ? 1 : -1, steps = direction > 0 ? ahead : n - ahead;
                    for (rank_t i = 0; i < steps; ++i, from = shape.neighbor(from, d, direction))
                        route.push_back(
                            static_cast<std::int32_t>((from * shape.dimensions() + d) * 2 + (direction > 0 ? 0 : 1)));
                }
            }};
}

}}  // namespace collsched::COLLSCHED_ABI
