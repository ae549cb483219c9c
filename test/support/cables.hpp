#pragma once

#include <map>
#include <utility>

#include "collsched/core/rank.hpp"

namespace support {

/// The ends of the cables of a topology of SimGrid, by number. Two calls with the same number count as a mistake: the
/// cable then has the number -1.
template <class Shape>
std::map<collsched::rank_t, std::pair<collsched::rank_t, collsched::rank_t>> ends_of_cables(const Shape& shape) {
    std::map<collsched::rank_t, std::pair<collsched::rank_t, collsched::rank_t>> ends;
    shape.for_each_cable([&](collsched::rank_t cable, collsched::rank_t from, collsched::rank_t to) {
        if (!ends.emplace(cable, std::pair(from, to)).second) ends[-1] = {from, to};
    });
    return ends;
}

/// Whether the cables of every route between two hosts lead from one vertex to the next, from the sender to the receiver.
template <class Shape>
bool routes_follow_cables(const Shape& shape) {
    const auto ends = ends_of_cables(shape);
    for (collsched::rank_t from = 0; from < shape.hosts(); ++from) {
        for (collsched::rank_t to = 0; to < shape.hosts(); ++to) {
            collsched::rank_t here = from;
            const auto pass = [&](collsched::rank_t cable, collsched::rank_t direction) {
                const auto found = ends.find(cable);
                if (found == ends.end()) return void(here = -1);
                const auto [a, b] = found->second;
                here = here != (direction == 0 ? a : b) ? -1 : direction == 0 ? b : a;
            };
            shape.route(from, to, pass, [](collsched::rank_t) {});
            if (here != to) return false;
        }
    }
    return true;
}

}  // namespace support
