#pragma once

#include <cstdint>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/rank.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The ranks 0 .. p-1 as the points of a grid, numbered along the first dimension first. The first dimension has `group`
/// ranks. While 2 * radix or more rows or planes are left, the next dimension has `radix` of them, and the last one has
/// all that are left: the numbering of nested_parts, where its parts are equal.
struct grid {
    rank_t ranks = 1;
    rank_t group = 1;        ///< 1 or more; a number above p counts as p
    std::int64_t radix = 2;  ///< 2 or more

    /// A dimension: places that are `stride` ranks apart.
    struct dimension {
        rank_t stride, size;

        /// Returns the place of rank r on its line.
        constexpr rank_t place(rank_t r) const { return r / stride % size; }
        /// Returns the rank at a place on the line of rank r.
        constexpr rank_t at(rank_t r, rank_t target) const { return r + (target - place(r)) * stride; }
        /// Returns the first rank of the row, plane or larger part of the grid that has all lines through rank r up to this
        /// dimension.
        constexpr rank_t first(rank_t r) const { return r - r % (stride * size); }
        bool operator==(const dimension&) const = default;
    };

    /// Returns an error unless all lines of each dimension have the same number of ranks. O(dimensions).
    constexpr argument_error check() const {
        if (group < 1) return {"group", group, "1 or more"};
        if (radix < 2) return {"radix", radix, "2 or more"};
        for (dimension d = first(); d.stride < ranks; d = next(d))
            if (ranks / d.stride % d.size != 0) return {"ranks", ranks, "a product of the sizes of the dimensions"};
        return {};
    }
    /// Calls f(dimension) for the dimensions of 2 or more ranks, from the first on.
    constexpr void visit(auto&& f) const {
        for (dimension d = first(); d.stride < ranks; d = next(d))
            if (d.size > 1) f(d);
    }

  private:
    constexpr dimension first() const { return {1, group < ranks ? group : ranks}; }
    constexpr dimension next(const dimension& d) const {
        const rank_t stride = d.stride * d.size, lines = ranks / stride;
        return {stride, lines / 2 >= radix ? radix : lines};
    }
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
