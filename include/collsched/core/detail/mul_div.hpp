#pragma once

#include <cstdint>

#include "collsched/core/checked.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Returns floor(a * b / c); not ok() only if that exceeds 63 bits. The product may have 126 bits. O(1) for products of
/// up to 63 bits, O(63) for others, on systems without integers of 128 bits too.
/// @pre a >= 0, b >= 0, c >= 1
constexpr checked mul_div(std::int64_t a, std::int64_t b, std::int64_t c) {
    if (const checked product = checked(a) * b; product.ok()) return product.value() / c;
    checked quotient = 0;
    const auto divisor = static_cast<std::uint64_t>(c);
    std::uint64_t remainder = 0;
    const auto add = [&](std::uint64_t more) {
        remainder += more;
        if (remainder < divisor) return;
        remainder -= divisor;
        quotient = quotient + 1;
    };
    for (int bit = 62; bit >= 0 && quotient.ok(); --bit) {
        quotient = quotient + quotient;
        add(remainder);
        if ((a >> bit & 1) == 0) continue;
        quotient = quotient + b / c;
        add(static_cast<std::uint64_t>(b % c));
    }
    return quotient;
}

}}}  // namespace collsched::COLLSCHED_ABI::detail
