#pragma once

#include <cstdint>

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

}}}  // namespace collsched::COLLSCHED_ABI::detail
