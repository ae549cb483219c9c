#pragma once

#include <limits>

#include "collsched/core/block_layout.hpp"
#include "collsched/core/checked.hpp"
#include "collsched/core/detail/sort.hpp"
#include "collsched/schedule/contract.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// Returns the location `bytes` further on. (Edges use the second overload, which is faster in constant evaluation.)
constexpr location moved(location start, checked bytes) {
    return {start.where, saturated(checked(start.offset) + bytes)};
}
constexpr location moved(location start, bytes_t bytes) {
    bytes_t end = 0;
    const bool overflows = __builtin_add_overflow(start.offset, bytes, &end);
    return {start.where, overflows ? std::numeric_limits<bytes_t>::max() : end};
}

}  // namespace detail

/// Placement of a buffer of a part in the buffers of the whole schedule: one piece of memory, or blocks of a layout
/// that the part sees packed, each at its displacement in the whole.
class region {
  public:
    /// One piece that begins at `start`.
    /// @param start  first byte
    constexpr region(location start) : start_(start) {}
    /// Blocks first, first+1, ... of the `count` blocks of a layout, with displacements relative to `start`.
    /// @pre blocks.check(count) reports no error
    /// @param start   byte that the displacements are relative to
    /// @param blocks  sizes and displacements in bytes
    /// @param count   number of blocks of the layout
    /// @param first   first block of the part's buffer, 0 .. count
    constexpr region(location start, const block_layout& blocks, rank_t count, rank_t first = 0)
        : start_(start), blocks_(blocks), count_(count), skipped_(blocks.prefix(first)) {}

    /// Contiguous memory within a region.
    struct piece {
        location start;    ///< first byte
        bytes_t size = 0;  ///< bytes that are contiguous from there on, at least
    };
    /// Returns the location of byte `offset` of the part's buffer. O(log blocks).
    /// @param offset  byte of the part's buffer, 0 or more
    constexpr piece at(bytes_t offset) const {
        constexpr bytes_t all = std::numeric_limits<bytes_t>::max();
        const checked position = checked(skipped_) + offset;
        if (!blocks_.irregular()) return {detail::moved(start_, position), all};
        // Offsets behind the last block map behind the extent of the layout.
        const bytes_t packed = blocks_.prefix(count_);
        if (!position.ok() || position.value() >= packed)
            return {detail::moved(start_, position + (blocks_.extent(count_) - packed)), all};
        const rank_t block = block_of(position.value());
        const bytes_t inside = position.value() - blocks_.prefix(block);
        const block_layout::run run = blocks_.run_at(block, count_);
        return {detail::moved(start_, run.bytes.offset + inside), run.bytes.size - inside};
    }
    /// Returns the end of the first `size` bytes as an offset in their buffer; 0 for size 0. O(blocks).
    /// @param size  bytes, 0 or more
    constexpr bytes_t reach(bytes_t size) const {
        bytes_t last_end = 0;
        for (bytes_t done = 0; done < size;) {
            const piece part = at(done);
            const bytes_t length = part.size < size - done ? part.size : size - done;
            const bytes_t reached = detail::saturated(checked(part.start.offset) + length);
            if (reached > last_end) last_end = reached;
            done += length;
        }
        return last_end;
    }
    /// Returns the buffer of the region.
    constexpr buffer where() const { return start_.where; }

    /// Calls f(number) for the numbers that determine this region. Used for fingerprints.
    /// @param f  callable, f(std::int64_t)
    constexpr void describe(auto f) const {
        for (const std::int64_t number : {static_cast<std::int64_t>(start_.where), start_.offset, skipped_, count_})
            f(number);
        if (count_ > 0) blocks_.describe(f);
    }

  private:
    /// Returns the nonempty block that contains this byte.
    constexpr rank_t block_of(bytes_t byte) const {
        return detail::first_where(1, count_, [&](rank_t i) { return blocks_.prefix(i) > byte; }) - 1;
    }

    location start_;
    block_layout blocks_{};
    rank_t count_ = 0;
    bytes_t skipped_ = 0;
};

namespace detail {

/// Every buffer of the part is that of the whole.
inline constexpr auto same_buffers = [](rank_t, buffer b) { return location{b, 0}; };
/// The part reads `output` as its input.
inline constexpr auto input_in_output = [](rank_t, buffer b) {
    return location{b == buffer::input ? buffer::output : b, 0};
};

/// Calls f(edge) for the pieces of an edge whose ends are placed in regions. A local copy of bytes to themselves is
/// omitted.
constexpr void place_edge(const edge& e, const region& from, const region& into, auto& f) {
    bytes_t done = 0;
    do {
        const region::piece source = from.at(saturated(checked(e.from_offset) + done)),
                            target = into.at(saturated(checked(e.into_offset) + done));
        edge part = e;
        part.from = source.start.where, part.from_offset = source.start.offset;
        part.into = target.start.where, part.into_offset = target.start.offset;
        for (const bytes_t room : {source.size, target.size, e.size - done})
            if (room < part.size) part.size = room;
        done += part.size;
        const bool vanishing = e.is_local() && !e.combines() && source.start == target.start;
        if (!vanishing) f(static_cast<const edge&>(part));
    } while (done < e.size);
}

/// As above, for ends in one piece each.
constexpr void place_edge(edge e, const location& from, const location& into, auto& f) {
    const location source = moved(from, e.from_offset), target = moved(into, e.into_offset);
    e.from = source.where, e.from_offset = source.offset;
    e.into = target.where, e.into_offset = target.offset;
    const bool vanishing = e.is_local() && !e.combines() && source == target;
    if (!vanishing) f(static_cast<const edge&>(e));
}

/// Returns the end of the scratch that rank `part_rank` of s uses with its buffers in where(buffer).
template <class S, class Where>
constexpr bytes_t placed_scratch(const S& s, rank_t part_rank, const Where& where) {
    const contract part = s.contract();
    bytes_t last_end = 0;
    const auto reach = [&](buffer b, bytes_t size) {
        const region target_region = where(b);
        if (target_region.where() != buffer::scratch) return;
        if (const bytes_t end = target_region.reach(size); end > last_end) last_end = end;
    };
    reach(buffer::input, part.input_bytes(part_rank));
    reach(buffer::output, part.output_bytes(part_rank));
    reach(buffer::scratch, s.scratch(part_rank));
    return last_end;
}

}  // namespace detail

}}  // namespace collsched::COLLSCHED_ABI
