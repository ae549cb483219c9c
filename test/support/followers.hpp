#pragma once

#include <set>
#include <vector>

#include "collsched/execute/plan.hpp"

namespace support {

/// Returns the nodes of a plan that start after this one is complete.
inline std::set<std::int64_t> followers(const collsched::plan& own, std::int64_t node) {
    std::vector<std::int64_t> reached{node};
    std::set<std::int64_t> after;
    for (std::size_t i = 0; i < reached.size(); ++i)
        for (const std::int64_t next : own.successors(reached[i]))
            if (after.insert(next).second) reached.push_back(next);
    return after;
}

}  // namespace support
