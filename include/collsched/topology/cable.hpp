#pragma once

#include <cstdint>

#include "collsched/core/config.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace topology {

/// A cable of a network: two links, one in each direction, with equal rates.
struct cable {
    std::int64_t bandwidth = 1;  ///< bytes per second in each direction, 1 or more
    std::int64_t latency = 0;    ///< picoseconds, 0 or more
    bool operator==(const cable&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::topology
