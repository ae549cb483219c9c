#pragma once

#include <span>

#include "collsched/collective/algorithm_list.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/verify/association.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Returns the class that the schedules of an algorithm have at a number of ranks, whatever their size and segments:
/// common_association() of messages of 1 to 3 * ranks + 1 elements and blocks of 1 and 3, in one piece and in segments of
/// 1 and 2 elements, for the first, the middle and the last root, which may have different trees below canonical.
///
/// @param entry  a reduction
/// @param given  number of ranks, radix, group, placement and what else is not varied
/// @return the class; any where the algorithm does not accept the shape
/// Complexity: that of verify() for up to 36 schedules.
inline association_class algorithm_association(const algorithm_entry& entry, const shape& given) {
    constexpr bytes_t element = 8;
    const bytes_t p = given.ranks;
    const bytes_t sizes[] = {1, p, p + p / 2 + 1, 3 * p + 1};
    association_class common = association_class::canonical;
    for (const rank_t root : {rank_t{0}, p / 2, p - 1}) {
        if (root > 0 && !entry.takes("root")) break;
        owned_array<any_schedule> made(entry.takes("block") || entry.takes("bytes") ? 12 : 0);
        std::int64_t count = 0;
        for (const bytes_t segment : {0, 1, 2})
            for (const bytes_t size : sizes) {
                if (segment > 0 && !entry.takes("segment")) continue;
                if (entry.takes("block") && size > 1 && size != sizes[2]) continue;
                shape one = given;
                one.root = root;
                one.element = element;
                one.bytes = size * element;
                one.block = size == 1 ? element : 3 * element;
                one.segment = segment * element;
                made[count++] = entry.make(one);
            }
        const std::span<const any_schedule> all(made.begin(), static_cast<std::size_t>(count));
        if (const association_class level = common_association(all); level < common) common = level;
    }
    return common;
}

}}  // namespace collsched::COLLSCHED_ABI
