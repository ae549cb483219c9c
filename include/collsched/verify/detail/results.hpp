#pragma once

#include <cstdint>
#include <span>

#include "collsched/core/byte_range.hpp"
#include "collsched/core/detail/gap_array.hpp"
#include "collsched/core/detail/sort.hpp"
#include "collsched/core/edge.hpp"
#include "collsched/schedule/contract.hpp"
#include "collsched/verify/detail/operands.hpp"
#include "collsched/verify/verdict.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Name of an input byte in a replay: an operand and a byte offset. Byte `at` of the input of rank r is (r, at). If the
/// result is the blocks of all ranks and nothing combines, all inputs in sequence are operand 0, so that adjacent
/// blocks of several ranks have one name.
class origins {
  public:
    /// @param edges  all edges of the replay
    constexpr origins(const contract& contract, std::span<const edge> edges)
        : blocks_(contract.layout()), ranks_(contract.ranks) {
        if (contract.collective != collective::allgather && contract.collective != collective::gather) return;
        joined_ = true;
        const edge* const end = edges.data() + edges.size();
        for (const edge* e = edges.data(); e != end; ++e)
            if (e->action != action::copy) joined_ = false;
    }

    /// Returns whether all inputs in sequence are one operand.
    constexpr bool joined() const { return joined_; }

    constexpr operand_id operand(rank_t r) const { return joined_ ? 0 : r; }
    constexpr bytes_t offset(rank_t r, bytes_t at) const { return joined_ ? blocks_.prefix(r) + at : at; }

    /// Calls f(operand_id, byte_range) for these bytes under the names of single ranks.
    constexpr void split(operand_id operand, byte_range bytes, auto f) const {
        if (!joined_) return f(operand, bytes);
        const auto begins_behind = [&](rank_t r) { return blocks_.prefix(r) > bytes.offset; };
        for (rank_t low = first_where(1, ranks_, begins_behind) - 1; bytes.size > 0; ++low) {
            const bytes_t end = blocks_.prefix(low + 1),
                          length = end - bytes.offset < bytes.size ? end - bytes.offset : bytes.size;
            if (length > 0) f(low, byte_range{bytes.offset - blocks_.prefix(low), length});
            bytes = {bytes.offset + length, bytes.size - length};
        }
    }

  private:
    const block_layout& blocks_;
    rank_t ranks_;
    bool joined_ = false;
};

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
        return first_where(0, end, [&](std::int64_t i) { return segments_[i].end > byte; });
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

/// Compares the final outputs with the contract.
/// @tparam Operands  the names of combinations: operand_table, or expression_table
template <class Operands>
class results {
  public:
    constexpr results(const contract& contract, const origins& names, const Operands& operands, step_t steps)
        : contract_(contract), names_(names), operands_(operands), steps_(steps) {}

    /// Returns the first error in the output of rank r, which begins at byte `begin` of `held`. The step of
    /// outside_result is not set.
    constexpr verdict of(rank_t r, contents& held, bytes_t begin) const {
        verdict fault{};
        bytes_t written = 0;
        parts(r, [&](const contract::result_range& part) {
            if (fault.ok()) fault = check(r, part, held, begin, written);
        });
        if (!fault.ok()) return fault;
        const byte_range output{begin, contract_.output_bytes(r)};
        held.visit(output, [&](const contents::segment& s, byte_range part) {
            if (s.written) written -= part.size;
            return true;
        });
        if (written == 0) return {};
        held.visit(output, [&](const contents::segment& s, byte_range part) {
            if (s.written) fault = outside(r, part.offset - begin, part.end() - begin);
            return fault.ok();
        });
        return fault;
    }

  private:
    /// Calls f(contract::result_range) for the parts of the output of rank r. If all inputs have one name, blocks that are
    /// side by side are one part, whose `first` is the first of them.
    constexpr void parts(rank_t r, auto f) const {
        if (!names_.joined() || contract_.output_bytes(r) == 0) return contract_.results(r, f);
        for (rank_t first = 0; first < contract_.ranks;) {
            const block_layout::run run = contract_.layout().run_at(first, contract_.ranks);
            f(contract::result_range{.where = run.bytes, .first = first});
            first = run.end;
        }
    }

    constexpr verdict check(rank_t r, const contract::result_range& part, contents& held, bytes_t begin,
                            bytes_t& written) const {
        const bytes_t target = begin + part.where.offset, end = target + part.where.size;
        const bytes_t expected = names_.offset(part.first, part.at);
        for (bytes_t next = target; next < end;) {
            const auto fault = [&](verdict::kind found) -> verdict {
                return {found, steps_, r, buffer::output, next - begin};
            };
            const contents::segment* segment = held.find(next);
            if (segment == nullptr) return fault(verdict::kind::missing);
            const bool aligned = segment->operand_offset(next) == expected + (next - target);
            if (!aligned) return fault(verdict::kind::wrong_bytes);
            if (!names_.joined() && !operands_.is(segment->value, part.first, part.last))
                return fault(operands_.has_the_ranks(segment->value, part.first, part.last)
                                 ? verdict::kind::operand_order
                                 : verdict::kind::wrong_bytes);
            const bytes_t stop = segment->end < end ? segment->end : end;
            if (segment->written) written += stop - next;
            next = stop;
        }
        return {};
    }

    /// Returns the error for the first byte of [byte, end) of r's output that belongs to no result.
    constexpr verdict outside(rank_t r, bytes_t byte, bytes_t end) const {
        for (bool moved = true; moved && byte < end;) {
            moved = false;
            parts(r, [&](const contract::result_range& range) {
                if (range.where.offset > byte || range.where.end() <= byte) return;
                byte = range.where.end();
                moved = true;
            });
        }
        if (byte >= end) return {};
        return {verdict::kind::outside_result, 0, r, buffer::output, byte};
    }

    const contract& contract_;
    const origins& names_;
    const Operands& operands_;
    step_t steps_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
