#pragma once

#include <cstdint>

#include "collsched/core/byte_range.hpp"
#include "collsched/core/detail/gap_array.hpp"
#include "collsched/verify/detail/operands.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Contents of one buffer of one rank as segments in ascending order; bytes outside were never written. Segments that
/// continue each other are merged. Access at or directly behind the previous one is O(1); elsewhere a search, and for a
/// write O(segments between both).
class contents {
  public:
    struct segment {
        bytes_t begin = 0;
        bytes_t end = 0;
        operand_id value = 0;
        bytes_t at = 0;        ///< the first byte is byte `at` of the operands
        bool written = false;  ///< by an edge; false for input

        constexpr bytes_t operand_offset(bytes_t byte) const { return at + (byte - begin); }
        constexpr bool goes_on_with(const segment& next) const {
            return end == next.begin && value == next.value && at - begin == next.at - next.begin &&
                   written == next.written;
        }
    };

    /// Returns the segment that contains `byte`, or null. Valid until the next write.
    constexpr const segment* find(bytes_t byte) {
        near_ = first_ending_after(byte);
        return near_ < segments_.size() && segments_[near_].begin <= byte ? &segments_[near_] : nullptr;
    }

    /// Calls f(segment, byte_range) for every part of the range that is held, ascending, until f returns false. Returns
    /// false if f did.
    constexpr bool visit(byte_range range, auto f) {
        for (std::int64_t i = first_ending_after(range.offset); i < segments_.size(); ++i) {
            const segment& held = segments_[i];
            if (held.begin >= range.end()) break;
            near_ = i;
            const bytes_t from = held.begin > range.offset ? held.begin : range.offset;
            const bytes_t to = held.end < range.end() ? held.end : range.end();
            if (!f(held, byte_range{from, to - from})) return false;
        }
        return true;
    }

    /// Replaces the contents of the range of the segment by the segment.
    constexpr void write(const segment& written) {
        std::int64_t i = first_ending_after(written.begin);
        if (i < segments_.size() && segments_[i].begin < written.end) i = cut_out(i, written.begin, written.end);
        const bool left = i > 0 && segments_[i - 1].goes_on_with(written);
        const bool right = i < segments_.size() && written.goes_on_with(segments_[i]);
        near_ = left ? i - 1 : i;
        if (left) segments_[i - 1].end = right ? segments_[i].end : written.end;
        else if (right) segments_[i].begin = written.begin, segments_[i].at = written.at;
        else segments_.insert(i, written);
        if (left && right) segments_.erase(i, i + 1);
    }

  private:
    /// Returns the first segment that ends after `byte`, or the number of segments.
    constexpr std::int64_t first_ending_after(bytes_t byte) const {
        const std::int64_t end = segments_.size();
        for (std::int64_t i = near_ <= end ? near_ : end, tries = 0; tries < 2 && i <= end; ++i, ++tries)
            if ((i == end || segments_[i].end > byte) && (i == 0 || segments_[i - 1].end <= byte)) return i;
        std::int64_t low = 0, high = end;
        while (low < high) {
            const std::int64_t middle = low + (high - low) / 2;
            if (segments_[middle].end <= byte) low = middle + 1;
            else high = middle;
        }
        return low;
    }

    /// Removes [begin, end), of which segment i is the first to contain a part, and returns the insertion position.
    constexpr std::int64_t cut_out(std::int64_t i, bytes_t begin, bytes_t end) {
        std::int64_t last = i;
        while (last < segments_.size() && segments_[last].begin < end) ++last;
        segment behind = segments_[last - 1];
        const bool keeps_behind = behind.end > end;
        if (segments_[i].begin < begin) {
            segments_[i].end = begin;
            ++i;
        }
        if (keeps_behind) {
            behind.at = behind.operand_offset(end);
            behind.begin = end;
            if (last == i) segments_.insert(last, behind);
            else segments_[--last] = behind;
        }
        if (i < last) segments_.erase(i, last);
        return i;
    }

    gap_array<segment> segments_;
    std::int64_t near_ = 0;  // position of the previous access
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
