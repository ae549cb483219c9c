#pragma once

#include <cstdint>

namespace collsched {

/// A rank of the group, 0 .. p-1. The embedding runtime maps its own ids to these.
using rank_t = std::int64_t;

/// A round number, common to both ends of an edge. Steps order the edges of a rank; they are no global barrier.
using step_t = std::int64_t;

/// The steps first .. last; none if last < first.
struct step_range {
    step_t first = 0;
    step_t last = -1;

    /// The first step >= k within, or `none`.
    constexpr step_t from(step_t k, step_t none) const {
        if (k > last || last < first) return none;
        return k < first ? first : k;
    }
    bool operator==(const step_range&) const = default;
};

/// value mod n for -n <= value < 2n: one addition instead of a division. n > 0.
constexpr std::int64_t wrap(std::int64_t value, std::int64_t n) {
    if (value < 0) return value + n;
    return value >= n ? value - n : value;
}

}  // namespace collsched
