#pragma once

#include <cstdint>

#include "collsched/core/byte_range.hpp"
#include "collsched/core/edge.hpp"
#include "collsched/core/gap_array.hpp"
#include "collsched/verify/operands.hpp"

namespace collsched {

/// What one buffer of one rank holds, as segments in ascending order; bytes between them were never written. Whatever goes
/// on where the last call was, or right behind, costs O(1); elsewhere a search, and a write O(segments between the two).
class contents {
  public:
    static constexpr step_t initially = -1;

    struct segment {
        bytes_t begin = 0;
        bytes_t end = 0;
        operand_id value = 0;
        bytes_t at = 0;  ///< the first byte is byte `at` of the operands
        step_t written = initially;
        bool combined = false;
        step_t read = initially;  ///< the last step in which an edge read of it, and the hull of what it read
        byte_range read_hull{};

        constexpr bytes_t operand_offset(bytes_t byte) const { return at + (byte - begin); }
    };

    /// The segment that holds `byte`, or null.
    constexpr segment* find(bytes_t byte) {
        const std::int64_t i = first_ending_after(byte);
        return i < segments_.size() && segments_[i].begin <= byte ? &segments_[i] : nullptr;
    }

    /// Calls f(segment, byte_range) for every held part of the range, ascending, until f returns false.
    /// False if f did.
    template <class F>
    constexpr bool visit(byte_range range, F f) {
        for (std::int64_t i = first_ending_after(range.offset); i < segments_.size(); ++i) {
            segment& held = segments_[i];
            if (held.begin >= range.end()) break;
            near_ = i;
            const bytes_t from = held.begin > range.offset ? held.begin : range.offset;
            const bytes_t to = held.end < range.end() ? held.end : range.end();
            if (!f(held, byte_range{from, to - from})) return false;
        }
        return true;
    }

    /// Overwrites the range of the segment with it.
    constexpr void write(const segment& fresh) {
        near_ = first_ending_after(fresh.begin);
        if (near_ == segments_.size() || segments_[near_].begin >= fresh.end) return segments_.insert(near_, fresh);
        split(fresh.begin);
        split(fresh.end);
        const std::int64_t first = first_ending_after(fresh.begin);
        std::int64_t last = first;
        while (last < segments_.size() && segments_[last].begin < fresh.end) ++last;
        segments_[first] = fresh;
        segments_.erase(first + 1, last);
        near_ = first;
    }

  private:
    /// Whether i is the first segment, or the end, that ends after `byte`.
    constexpr bool ends_first_after(std::int64_t i, bytes_t byte) const {
        return i <= segments_.size() && (i == segments_.size() || segments_[i].end > byte) &&
               (i == 0 || segments_[i - 1].end <= byte);
    }

    constexpr std::int64_t first_ending_after(bytes_t byte) const {
        if (ends_first_after(near_, byte)) return near_;
        if (ends_first_after(near_ + 1, byte)) return near_ + 1;
        std::int64_t low = 0, high = segments_.size();
        while (low < high) {
            const std::int64_t middle = low + (high - low) / 2;
            if (segments_[middle].end <= byte) low = middle + 1;
            else high = middle;
        }
        return low;
    }

    constexpr void split(bytes_t byte) {
        const std::int64_t i = first_ending_after(byte);
        if (i == segments_.size() || segments_[i].begin >= byte) return;
        segment upper = segments_[i];
        upper.at = upper.operand_offset(byte);
        upper.begin = byte;
        segments_[i].end = byte;
        segments_.insert(i + 1, upper);
    }

    gap_array<segment> segments_;
    std::int64_t near_ = 0;  // where the last call was
};

}  // namespace collsched
