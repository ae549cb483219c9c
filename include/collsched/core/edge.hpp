#pragma once

#include <cstdint>

#include "collsched/core/byte_range.hpp"
#include "collsched/core/rank.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Buffer of a rank. A runtime binds these ids to memory when it starts a plan.
enum class buffer : std::uint8_t { input, output, scratch };

/// Returns "input", "output" or "scratch".
/// @param b  a buffer
constexpr const char* name_of(buffer b) {
    constexpr const char* names[] = {"input", "output", "scratch"};
    return names[static_cast<int>(b)];
}

/// Operation of an edge on the bytes of its target.
enum class action : std::uint8_t {
    copy,            ///< into := incoming
    combine_before,  ///< into := incoming op into
    combine_after,   ///< into := into op incoming
};

/// Returns "copy", "combine_before" or "combine_after".
/// @param a  an action
constexpr const char* name_of(action a) {
    constexpr const char* names[] = {"copy", "combine_before", "combine_after"};
    return names[static_cast<int>(a)];
}

/// One contiguous byte range that moves in one step, between two ranks or within a rank.
struct edge {
    step_t step = 0;                                     ///< step at both ends, 0 or more
    rank_t src = 0;                                      ///< source rank
    rank_t dst = 0;                                      ///< target rank; equal to src for a local edge
    bytes_t from_offset = 0;                             ///< offset in buffer `from` of rank src, in bytes
    bytes_t into_offset = 0;                             ///< offset in buffer `into` of rank dst, in bytes
    bytes_t size = 0;                                    ///< number of bytes; 0 between two ranks: a signal
    buffer from = buffer::input;                         ///< buffer that is read at src
    buffer into = buffer::output;                        ///< buffer that is written at dst
    collsched::action action = collsched::action::copy;  ///< effect at the target

    /// Returns the bytes that the edge reads in buffer `from` of rank src.
    /// @return range of `size` bytes
    constexpr byte_range source() const { return {from_offset, size}; }
    /// Returns the bytes that the edge writes in buffer `into` of rank dst.
    /// @return range of `size` bytes
    constexpr byte_range target() const { return {into_offset, size}; }
    /// Returns whether the edge is a copy or combine within one rank.
    /// @return src == dst
    constexpr bool is_local() const { return src == dst; }
    /// Returns whether the edge is a signal: a message without bytes.
    /// @return size == 0 and src != dst
    constexpr bool is_signal() const { return size == 0 && src != dst; }
    /// Returns whether the edge combines its bytes with those of the target.
    /// @return action != copy
    constexpr bool combines() const { return action != collsched::action::copy; }
    bool operator==(const edge&) const = default;
};

namespace detail {

/// Returns edge `e`, moved by `steps` steps.
constexpr edge delayed(edge e, step_t steps) {
    e.step += steps;
    return e;
}

}  // namespace detail

/// Returns whether a comes before b in canonical order: by step, src, dst, from_offset, and then by the remaining
/// members. Strict total order. O(1).
/// @param a  an edge
/// @param b  another edge
constexpr bool precedes(const edge& a, const edge& b) {
    if (a.step != b.step) return a.step < b.step;
    if (a.src != b.src) return a.src < b.src;
    if (a.dst != b.dst) return a.dst < b.dst;
    if (a.from_offset != b.from_offset) return a.from_offset < b.from_offset;
    if (a.from != b.from) return a.from < b.from;
    if (a.into != b.into) return a.into < b.into;
    if (a.into_offset != b.into_offset) return a.into_offset < b.into_offset;
    if (a.size != b.size) return a.size < b.size;
    return a.action < b.action;
}

}}  // namespace collsched::COLLSCHED_ABI
