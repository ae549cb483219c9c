#pragma once

#include <functional>
#include <string>
#include <vector>

#include "algorithms/algorithms.hpp"
#include "collsched/collective/algorithm_list.hpp"
#include "compositions.hpp"

namespace simulated {

/// A schedule to be timed, made when its turn comes.
struct candidate {
    std::string name;
    collsched::bytes_t segment;  ///< 0: messages are whole
    std::function<collsched::any_schedule()> make;
};

/// Segments of a message: itself, which is 0, and 4 to 16 pieces where they are of a kilobyte or more.
inline std::vector<std::int64_t> segments(collsched::bytes_t bytes) {
    std::vector<std::int64_t> found{0};
    for (const std::int64_t pieces : {16, 8, 4})
        if (bytes / pieces >= 1024) found.push_back(bytes / pieces);
    return found;
}

namespace detail {

/// All values that are tried of a parameter that no contract settles.
struct choice {
    const char* parameter;
    std::int64_t collsched::shape::* member;
    std::vector<std::int64_t> values;
};

inline std::vector<choice> choices(collsched::bytes_t bytes) {
    return {{"segment", &collsched::shape::segment, segments(bytes)},
            {"radix", &collsched::shape::radix, {2, 3, 4, 6, 8, 16}},
            {"group", &collsched::shape::group, {4, 8, 16}},
            {"aggregate", &collsched::shape::aggregate, {1, 4, 16}},
            {"window", &collsched::shape::window, {0, 1, 4, 16}}};
}

}  // namespace detail

/// Every algorithm of the library that does this collective with this shape, with every choice of its parameters, and
/// compositions of them. Those with a network are left out, and on one switch, where there is nothing to plan for, those
/// with a cluster too.
inline std::vector<candidate> candidates(collsched::collective what, const collsched::shape& wanted,
                                         collsched::bytes_t bytes, bool one_switch) {
    std::vector<candidate> found;
    for (const collsched::algorithm_entry& entry : compiled::whole_registry()) {
        if (entry.info.collective != what || entry.takes(&collsched::shape::forest) ||
            entry.takes(&collsched::shape::transfers))
            continue;
        if (one_switch && (entry.takes(&collsched::shape::cluster) || entry.takes(&collsched::shape::placement)))
            continue;
        std::vector<std::pair<std::string, collsched::shape>> shapes{{entry.info.name, wanted}};
        for (const detail::choice& one : detail::choices(bytes)) {
            if (!entry.takes(one.member)) continue;
            std::vector<std::pair<std::string, collsched::shape>> more;
            for (auto [name, shape] : shapes)
                for (const std::int64_t value : one.values) {
                    if (one.member == &collsched::shape::radix && shape.segment > 0 && value > 4) continue;
                    shape.*one.member = value;
                    const bool whole = one.member == &collsched::shape::segment && value == 0;
                    more.emplace_back(
                        whole ? name : name + " " + std::string(one.parameter) + "=" + std::to_string(value), shape);
                }
            shapes = std::move(more);
        }
        for (const auto& [name, shape] : shapes)
            found.push_back({name, shape.segment, [make = entry.make, shape] { return make(shape); }});
    }
    add_compositions(found, what, wanted, bytes, one_switch);
    return found;
}

}  // namespace simulated
