#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "collsched/simulate/contention_model.hpp"

namespace support {

/// The network of a shape such as detail::torus_cables. Its cables have two links of equal costs: 2i in direction 0 of
/// cable i, and 2i + 1 in the other one.
template <class Shape>
collsched::contention_model::network cable_network(const Shape& shape, const collsched::lob_model::link_cost& cost) {
    using collsched::rank_t;
    const auto count = static_cast<std::size_t>(2 * shape.cables());
    return {shape.hosts(), std::vector<collsched::contention_model::network::link>(count, {cost}),
            [shape](rank_t from, rank_t to, std::vector<std::int32_t>& route) {
                shape.route(
                    from, to,
                    [&](rank_t cable, rank_t way) { route.push_back(static_cast<std::int32_t>(2 * cable + way)); },
                    [](rank_t) {});
            }};
}

}  // namespace support
