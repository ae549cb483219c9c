#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "collsched/collective/algorithm_list.hpp"
#include "collsched/core/digits.hpp"
#include "collsched/select/decision_table.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Returns the bytes of a message or of all blocks together; 0 for an invalid layout.
inline bytes_t total_bytes(const shape& parameters) {
    if (parameters.bytes > 0) return parameters.bytes;
    return parameters.block.check(parameters.ranks) ? 0 : parameters.block.prefix(parameters.ranks);
}

/// Returns the least radix in which the numbers below p have at most `digits` digits: ceil(p^(1 / digits)).
inline std::int64_t root_of(rank_t p, int digits) {
    std::int64_t radix = 2;
    while (ceil_log(radix, p) > digits) ++radix;
    return radix;
}

/// Returns candidate values of a parameter for the given sizes and ranks. The default of the algorithm is tried in
/// addition. Segments: none, and powers of two of bytes from the whole message down to 8, in whole elements, with at
/// most 4,096 segments per message, or 65,536 if there is a forest, whose trees divide it. Radices: small numbers,
/// powers of two, p and its roots. Groups: powers of two and divisors of p. Other parameters: powers of two. Ascending.
inline std::vector<std::int64_t> values_of(const decision::free_parameter& parameter, const shape& parameters) {
    std::vector<std::int64_t> values;
    const rank_t p = parameters.ranks;
    if (parameter.value == &shape::segment) {
        values.push_back(0);
        const bytes_t all = total_bytes(parameters);
        const bytes_t element = std::max<bytes_t>(1, parameters.element);
        bytes_t size = 8;
        while (size < all - size) size *= 2;
        const std::int64_t most = parameters.forest.value().trees.empty() ? 4096 : 65'536;
        for (; size >= 8 && size < all && all / size <= most; size /= 2)
            values.push_back(std::max(size - size % element, element));
    } else if (parameter.value == &shape::radix) {
        for (const std::int64_t k : {2, 3, 4, 5, 6, 7, 8, 12, 16, 32, 64})
            if (k <= p) values.push_back(k);
        if (p > 1) values.insert(values.end(), {p, root_of(p, 2), root_of(p, 3)});
        std::ranges::sort(values);
    } else if (parameter.value == &shape::group) {
        for (std::int64_t q = 1; q <= p; q *= 2) values.push_back(q);
        for (std::int64_t q = 1; q * q <= p; ++q)
            if (p % q == 0) values.insert(values.end(), {q, p / q});
        std::ranges::sort(values);
    } else if (parameter.value == &shape::aggregate) {
        for (std::int64_t a = 1; a < 2 * p; a *= 2) values.push_back(a);
    } else {
        values = {0, 1, 2};
        for (std::int64_t w = 4; w < p; w *= 2) values.push_back(w);
    }
    const auto duplicates = std::ranges::unique(values);
    values.erase(duplicates.begin(), duplicates.end());
    return values;
}

}}}  // namespace collsched::COLLSCHED_ABI::detail
