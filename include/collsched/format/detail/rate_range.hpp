#pragma once

#include <string_view>

#include "collsched/cost/lob.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The valid range of a number in a description. Converted numbers fit the (L, o, b) model.
struct rate_range {
    double least, most;
    std::string_view text;

    constexpr bool holds(double x) const { return x >= least && x <= most; }
};

inline constexpr rate_range range_us{0, 1e12, "0 to 1e12 us"};
inline constexpr rate_range range_MBps{1e-9, 2e9, "1e-9 to 2e9 MB/s"};

}}}  // namespace collsched::COLLSCHED_ABI::detail
