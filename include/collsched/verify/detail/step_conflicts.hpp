#pragma once

#include <cstdint>

#include "collsched/core/byte_range.hpp"
#include "collsched/core/detail/gap_array.hpp"
#include "collsched/core/detail/sort.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/schedule/stored_schedule.hpp"
#include "collsched/verify/verdict.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The places of all buffers of all ranks in a replay. After aliasing, two buffers of one memory have one slot.
class buffer_places {
  public:
    /// Placement of one buffer.
    struct place {
        std::int64_t slot;  ///< index of its memory, 0 .. 3 * ranks - 1
        bytes_t offset;     ///< offset of its byte 0
        bytes_t size;

        constexpr bool has(bytes_t first, bytes_t bytes) const {
            return first >= 0 && first <= size && bytes <= size - first;
        }
    };

    constexpr buffer_places(const stored_schedule& s, binding binding) : places_(3 * s.ranks) {
        for (rank_t r = 0; r < s.ranks; ++r) {
            const buffer_alias alias = s.contract().alias(r, binding);
            for (const buffer b : {buffer::input, buffer::output, buffer::scratch}) {
                const location target = locate(alias, b, 0);
                const bytes_t size = b == buffer::scratch ? s.scratch(r) : s.contract().reach(r, b, alias);
                places_[3 * r + at(b)] = {3 * r + at(target.where), target.offset, size};
            }
        }
    }

    constexpr const place& of(rank_t r, buffer b) const { return places_[3 * r + at(b)]; }
    constexpr const place& from(const edge& e) const { return places_[3 * e.src + at(e.from)]; }
    constexpr const place& into(const edge& e) const { return places_[3 * e.dst + at(e.into)]; }

    /// Returns whether a transfer with bytes is valid by itself.
    constexpr bool fits(const edge& e) const {
        return e.src != e.dst && e.size > 0 && e.into != buffer::input && from(e).has(e.from_offset, e.size) &&
               into(e).has(e.into_offset, e.size);
    }

    /// Returns whether an edge copies bytes to themselves.
    constexpr bool vanishes(const edge& e) const {
        return e.src == e.dst && e.action == action::copy && e.from != e.into && from(e).slot == into(e).slot &&
               from(e).offset + e.from_offset == into(e).offset + e.into_offset;
    }

    /// Returns what is wrong with an edge by itself.
    constexpr verdict check(const edge& e) const {
        if (e.size < 0) return {verdict::kind::bad_edge, e.step, e.src, e.from, e.from_offset};
        if (!from(e).has(e.from_offset, e.size))
            return {verdict::kind::outside_buffer, e.step, e.src, e.from, e.from_offset};
        if (!into(e).has(e.into_offset, e.size))
            return {verdict::kind::outside_buffer, e.step, e.dst, e.into, e.into_offset};
        if (e.into == buffer::input && e.size > 0)
            return {verdict::kind::writes_input, e.step, e.dst, e.into, e.into_offset};
        if (!e.is_local() || vanishes(e)) return {};
        const byte_range a{from(e).offset + e.from_offset, e.size}, b{into(e).offset + e.into_offset, e.size};
        if (e.size == 0 || (from(e).slot == into(e).slot && overlap(a, b)))
            return {verdict::kind::local_overlap, e.step, e.src, e.into, e.into_offset};
        return {};
    }

  private:
    static constexpr std::int64_t at(buffer b) { return static_cast<std::int64_t>(b); }

    owned_array<place> places_;
};

/// Use of bytes of a buffer by an edge.
enum class byte_use : std::uint8_t {
    read,
    read_by_combine,  ///< within a rank
    copied,
    combined,
};

/// Detects conflicts of the edges of a step: a copy to bytes that another edge reads or writes, or a combine to bytes
/// that a combine within the rank reads. A place is a buffer of a rank. O(uses), plus sorting where a place has many.
class step_conflicts {
  public:
    constexpr explicit step_conflicts(std::int64_t places) : places_(places) {}

    /// Starts a step.
    constexpr void clear() {
        ++step_;
        uses_.clear();
        crowded_.clear();
        found_ = false;
    }

    /// Adds a use of the nonempty range [begin, end) of a place.
    /// @pre the two ranges of one edge do not overlap
    constexpr void add(std::int64_t place, byte_use access, bytes_t begin, bytes_t end) {
        usage& accesses = places_[place];
        if (accesses.step != step_) accesses = {step_, -1, 0};
        if (accesses.count < crowd)
            for (std::int64_t i = accesses.last; i >= 0; i = uses_[i].before)
                if (uses_[i].end > begin && uses_[i].begin < end && clash(uses_[i].access, access)) found_ = true;
        if (accesses.last >= 0 && uses_[accesses.last].access == access && uses_[accesses.last].end == begin) {
            uses_[accesses.last].end = end;
            return;
        }
        uses_.push_back({begin, end, accesses.last, access});
        accesses.last = uses_.size() - 1;
        if (++accesses.count == crowd) crowded_.push_back(place);
    }

    /// Returns whether the step has a conflict.
    constexpr bool any() {
        for (std::int64_t i = 0; i < crowded_.size() && !found_; ++i) found_ = sweep(places_[crowded_[i]].last);
        return found_;
    }

  private:
    static constexpr std::int64_t crowd = 5;  // below this number, uses of a place are compared pairwise

    struct use {
        bytes_t begin, end;
        std::int64_t before;  // the use of the same place before this one, or -1
        byte_use access;
    };
    struct usage {
        std::int64_t step, last, count;
    };

    static constexpr bool clash(byte_use a, byte_use b) {
        return a == byte_use::copied || b == byte_use::copied ||
               (a == byte_use::combined && b == byte_use::read_by_combine) ||
               (a == byte_use::read_by_combine && b == byte_use::combined);
    }

    /// Returns whether uses of one place conflict. `last` is its last use.
    constexpr bool sweep(std::int64_t last) {
        sorted_.clear();
        for (; last >= 0; last = uses_[last].before) sorted_.push_back(uses_[last]);
        const auto all = sorted_.joined();
        sort(all.data(), sorted_.size(), [](const use& a, const use& b) { return a.begin < b.begin; });
        bytes_t ends[4] = {};  // of those that began so far, for each use
        for (const use& u : all) {
            for (const byte_use other :
                 {byte_use::read, byte_use::read_by_combine, byte_use::copied, byte_use::combined})
                if (ends[static_cast<int>(other)] > u.begin && clash(other, u.access)) return true;
            if (ends[static_cast<int>(u.access)] < u.end) ends[static_cast<int>(u.access)] = u.end;
        }
        return false;
    }

    owned_array<usage> places_;
    gap_array<use> uses_, sorted_;
    gap_array<std::int64_t> crowded_;  // places with a few uses or more
    std::int64_t step_ = 0;
    bool found_ = false;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
