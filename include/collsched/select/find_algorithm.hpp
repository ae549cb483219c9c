#pragma once

#include <span>
#include <string_view>

#include "collsched/collective/algorithm_list.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Returns the entry of an algorithm; null if there is none. O(entries).
/// @param list       entries
/// @param operation  the collective
/// @param name       name of the algorithm, such as "ring"
constexpr const algorithm_entry* find_algorithm(std::span<const algorithm_entry> list, collective operation,
                                                std::string_view name) {
    for (const algorithm_entry& entry : list)
        if (entry.info.collective == operation && name == entry.info.name) return &entry;
    return nullptr;
}

}}  // namespace collsched::COLLSCHED_ABI
