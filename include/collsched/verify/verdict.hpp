#pragma once

#include <cstddef>
#include <cstdint>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/edge.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Result of verify(): the first error in a schedule with step, rank, buffer and byte, or no error.
struct verdict {
    /// Kind of error that verify() reports. The rules are those of "Steps" in docs/schedule.md.
    enum class kind : std::uint8_t {
        none,             ///< no error: the schedule is correct
        bad_argument,     ///< an invalid parameter: see `argument`
        bad_edge,         ///< an edge has a wrong step or sender, no valid rank, or a size below 0
        unmatched,        ///< the edges that a rank sends and those that its peer receives differ
        outside_buffer,   ///< a range is not within its buffer
        writes_input,     ///< an edge writes `input`
        local_overlap,    ///< the two ranges of a local edge overlap, or it moves no bytes
        not_held,         ///< an edge reads bytes that have not been written
        write_conflict,   ///< two edges of a step write the same byte, and not both combine
        overwrites_read,  ///< a copy writes a byte that another edge of the step reads
        misaligned,       ///< a combine meets bytes of another offset
        split_element,    ///< a combine takes a part of an element, or parts of two elements as one
        combined_twice,   ///< a rank's operand enters a combination twice
        small_staging,    ///< the incoming combines of a step need more than staging()
        missing,          ///< at the end a byte of the result has not been written
        wrong_bytes,      ///< at the end a byte of the result is from a wrong origin
        operand_order,    ///< the result has the right operands in the wrong order
        outside_result,   ///< a written byte of `output` is not part of the result
        missing_signal,   ///< after a barrier, a rank has not received a signal, direct or not, from rank `byte`
    };

    kind finding = kind::none;     ///< kind of the error, or none
    step_t step = 0;               ///< step of the error; other members are 0 where they do not apply
    rank_t rank = 0;               ///< rank at which the error was found
    buffer where = buffer::input;  ///< buffer of the first wrong byte
    bytes_t byte = 0;              ///< offset of the first wrong byte; missing_signal: a rank
    argument_error argument{};     ///< bad_argument: the invalid parameter

    /// Returns whether the schedule is correct.
    constexpr bool ok() const { return finding == kind::none; }
    bool operator==(const verdict&) const = default;
};

/// Returns the name of a finding, such as "not_held".
/// @param found  a finding
constexpr const char* name_of(verdict::kind found) {
    constexpr const char* names[] = {"none",           "bad_argument",    "bad_edge",      "unmatched",
                                     "outside_buffer", "writes_input",    "local_overlap", "not_held",
                                     "write_conflict", "overwrites_read", "misaligned",    "split_element",
                                     "combined_twice", "small_staging",   "missing",       "wrong_bytes",
                                     "operand_order",  "outside_result",  "missing_signal"};
    return names[static_cast<int>(found)];
}

namespace detail {

/// A null-terminated text as a template argument. Compilers print it as text; clang does if it fills the array.
template <std::size_t Size>
struct printed_text {
    char characters[Size] = {};

    constexpr void set(const error_text& line) {
        for (std::size_t i = 0; i + 1 < Size && line.c_str()[i] != 0; ++i) characters[i] = line.c_str()[i];
    }
    constexpr std::size_t length() const {
        std::size_t i = 0;
        while (characters[i] != 0) ++i;
        return i;
    }
};

/// Returns the text in an array of its size.
template <printed_text Text>
constexpr auto fitted() {
    printed_text<Text.length() + 1> fitting;
    for (std::size_t i = 0; i < Text.length(); ++i) fitting.characters[i] = Text.characters[i];
    return fitting;
}

/// A verdict as a template argument, in words, since it may have pointers and clang prints its enumerators as numbers:
/// "missing", "step 2, rank 0", "output, byte 4", or "bad_argument", "root: got 4", "expected 0 to ranks-1".
struct proof_result {
    printed_text<20> found;
    printed_text<64> place;
    printed_text<256> detail;

    constexpr proof_result(const verdict& v) {
        if (v.ok()) return;
        error_text name, start, end;
        name.put(name_of(v.finding));
        if (v.argument) {
            write_got([&](auto piece) { start.put(piece); }, v.argument.argument, v.argument.index, v.argument.value);
            end.put("expected "), end.put(v.argument.expected);
        } else {
            start.put("step "), start.put(v.step), start.put(", rank "), start.put(v.rank);
            end.put(name_of(v.where)), end.put(", byte "), end.put(v.byte);
        }
        found.set(name), place.set(start), detail.set(end);
    }
    constexpr bool ok() const { return found.characters[0] == 0; }
};

template <printed_text Finding, printed_text Place, printed_text Detail>
constexpr void wrong_schedule() {
    static_assert(Finding.length() == 0, "the schedule is wrong: the template arguments have the finding");
}

template <proof_result Result>
constexpr bool prove() {
    if constexpr (!Result.ok())
        wrong_schedule<fitted<Result.found>(), fitted<Result.place>(), fitted<Result.detail>()>();
    return Result.ok();
}

}  // namespace detail

/// True. For a verdict that is not ok(), a compile error whose message contains finding, step, rank, buffer and byte, or
/// the error of an invalid parameter: static_assert(proved<verify(x)>).
template <detail::proof_result Result>
inline constexpr bool proved = detail::prove<Result>();

}}  // namespace collsched::COLLSCHED_ABI
