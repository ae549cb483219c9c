#pragma once

#include <cstdint>

#include "collsched/core/rank.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The ranks 0 .. p-1 in consecutive parts of parts, and an exchange in each level of them. A part of level 0 is one
/// rank, a part of level 1 a row of ranks, the part of level `levels()` all ranks. The parts of one part differ by one
/// rank at most, the larger ones first.
///
/// There are p / group rows, one at least. While 2 * radix or more of them are left, `radix` consecutive ones form a
/// part of the next level. The last level has the rest.
///
/// The exchange has a step for every distance between parts of one level in one part of the next, the lowest level
/// first. A rank sends to the rank with its index in the part that is `distance` places after its own. If that part is
/// one rank larger, the last rank there receives from index 0.
class nested_parts {
  public:
    /// Consecutive ranks.
    struct part {
        rank_t first, size;
        constexpr bool contains(rank_t r) const { return first <= r && r < first + size; }
        bool operator==(const part&) const = default;
    };

    /// @param ranks  number of ranks p, 1 or more
    /// @param group  smallest number of ranks of a row, 1 or more; a number above p counts as p
    /// @param radix  2 or more
    constexpr nested_parts(rank_t ranks, rank_t group, std::int64_t radix)
        : ranks_(ranks), radix_(radix), top_(group < ranks ? ranks / group : 1) {
        if (top_ > 1) ++levels_;
        for (; top_ / 2 >= radix; top_ /= radix) ++levels_;
        row_ = at(0, 1).size;
    }

    /// Returns the number of levels above that of single ranks, 1 or more.
    constexpr step_t levels() const { return levels_; }
    /// Returns the part of a level that contains rank r. O(levels).
    constexpr part at(rank_t r, step_t level) const {
        part found{0, ranks_};
        for (step_t next = levels_; next-- > level;) {
            const rank_t n = parts(found, next);
            found = split(found, n, index(found, n, r));
        }
        return found;
    }

    /// Returns the first step that exchanges between parts of a level, 0 .. levels(). O(levels).
    constexpr step_t first_step(step_t level) const {
        step_t step = 0;
        for (step_t lower = 0; lower < level; ++lower) step += count(lower) - 1;
        return step;
    }
    /// Returns the level whose parts exchange in step k, 0 .. first_step(levels())-1.
    constexpr step_t level_of(step_t k) const {
        step_t level = 0;
        for (; k >= count(level) - 1; ++level) k -= count(level) - 1;
        return level;
    }

    /// Calls f(rank) for every rank that r sends to in step k.
    constexpr void targets(rank_t r, step_t k, auto f) const {
        const step_t level = level_of(k);
        const place position = locate(r, level);
        if (const rank_t distance = k - first_step(level) + 1; distance < position.parts)
            position.targets(r, distance, f);
    }
    /// Calls f(rank) for every rank that r receives from in step k.
    constexpr void sources(rank_t r, step_t k, auto f) const {
        const step_t level = level_of(k);
        const place position = locate(r, level);
        const rank_t distance = k - first_step(level) + 1;
        if (distance >= position.parts) return;
        const part from = position.after(-distance);
        f(from.first + (r - position.inner.first) % from.size);
    }
    /// Calls f(rank) for r, then for every rank that data of r reaches by steps of `level` and of the levels above: all
    /// ranks that receive through a rank are called in sequence after it.
    constexpr void reached(rank_t r, step_t level, auto&& f) const {
        f(r);
        for (; level < levels_; ++level) {
            const place position = locate(r, level);
            for (rank_t distance = 1; distance < position.parts; ++distance)
                position.targets(r, distance, [&](rank_t to) { reached(to, level + 1, f); });
        }
    }

  private:
    /// The place of a rank among the parts of one level.
    struct place {
        part outer, inner;    ///< the part of the next level that contains the rank; that of the level
        rank_t parts, index;  ///< number of parts in `outer`; number of `inner` among them

        constexpr part after(rank_t distance) const { return split(outer, parts, wrap(index + distance, parts)); }
        constexpr void targets(rank_t r, rank_t distance, auto&& f) const {
            const part to = after(distance);
            for (rank_t i = r - inner.first; i < to.size; i += inner.size) f(to.first + i);
        }
    };

    /// Returns the largest number of parts of a level in one part of the next level.
    constexpr rank_t count(step_t level) const { return level == 0 ? row_ : level + 1 == levels_ ? top_ : radix_; }
    constexpr rank_t parts(part outer, step_t level) const { return level == 0 ? outer.size : count(level); }
    constexpr place locate(rank_t r, step_t level) const {
        const part outer = at(r, level + 1);
        const rank_t n = parts(outer, level), i = index(outer, n, r);
        return {outer, split(outer, n, i), n, i};
    }
    static constexpr part split(part outer, rank_t n, rank_t i) {
        const rank_t base_size = outer.size / n, larger = outer.size % n;
        return {outer.first + i * base_size + (i < larger ? i : larger), base_size + (i < larger ? 1 : 0)};
    }
    static constexpr rank_t index(part outer, rank_t n, rank_t r) {
        const rank_t base_size = outer.size / n, larger = outer.size % n, offset = r - outer.first;
        return offset < larger * (base_size + 1) ? offset / (base_size + 1)
                                                 : larger + (offset - larger * (base_size + 1)) / base_size;
    }

    rank_t ranks_;
    std::int64_t radix_;
    rank_t top_;
    step_t levels_ = 1;
    rank_t row_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
