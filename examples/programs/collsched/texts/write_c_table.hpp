#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "collsched/format/text.hpp"
#include "collsched/schedule/stored_schedule.hpp"

namespace collsched::texts {

/// Returns a schedule's name as the prefix of C identifiers: "allgather/neighbor-exchange" becomes
/// "allgather_neighbor_exchange".
/// @param name  such as "allgather/ring"
inline std::string c_name(std::string_view name) {
    std::string identifier;
    for (const char c : name) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        const bool digit = c >= '0' && c <= '9';
        if (digit && identifier.empty()) identifier += '_';
        identifier += letter || digit ? c : '_';
    }
    return identifier.empty() ? "schedule" : identifier;
}

/// Writes a schedule as a header of C11 and C++: constant tables of plain numbers with the edges in canonical order and
/// the sizes of each rank's buffers. The names of the tables begin with c_name() of the schedule and its number of
/// ranks.
/// @param out   output iterator for the text
/// @param s     schedule without error
/// @param name  such as "allgather/ring"
/// @return the iterator behind the text
template <std::output_iterator<char> Out>
Out write_c_table(Out out, const stored_schedule& s, std::string_view name) {
    const auto put = [&](const auto& format, const auto&... values) {
        out = fmt::format_to(std::move(out), format, values...);
    };
    const std::string begin = fmt::format(FMT_COMPILE("{}_{}"), c_name(name), s.ranks);
    std::string guard = "COLLSCHED_TABLE_" + begin;
    for (char& c : guard) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    put(FMT_COMPILE("#ifndef {}\n#define {}\n\n#include <stdint.h>\n\n"), guard, guard);
    put(FMT_COMPILE("{}"),
        "#ifndef COLLSCHED_TABLE_TYPES\n"
        "#define COLLSCHED_TABLE_TYPES\n"
        "enum { collsched_input, collsched_output, collsched_scratch };                 /* from, into */\n"
        "enum { collsched_copy, collsched_combine_before, collsched_combine_after };    /* action */\n"
        "typedef struct {\n"
        "    int64_t step, src, dst, from_offset, into_offset, size;\n"
        "    uint8_t from, into, action;\n"
        "} collsched_edge;\n"
        "#endif\n\n");
    const auto constant = [&](const char* label, auto value) {
        put(FMT_COMPILE("static const int64_t {}_{} = {};\n"), begin, label, value);
    };
    const contract& contract = s.contract();
    constant("ranks", s.ranks);
    constant("root", contract.root);
    constant("steps", s.steps());
    constant("window", s.pacing().window);
    constant("element", contract.element);
    constant("edge_count", std::ssize(s.edges()));
    const auto per_rank = [&](const char* label, auto size) {
        put(FMT_COMPILE("static const int64_t {}_{}[] = {{"), begin, label);
        for (rank_t r = 0; r < s.ranks; ++r) put(FMT_COMPILE("{}{}"), r == 0 ? "" : ", ", size(r));
        put(FMT_COMPILE("{}"), "};\n");
    };
    per_rank("input", [&](rank_t r) { return contract.input_bytes(r); });
    per_rank("output", [&](rank_t r) { return contract.output_bytes(r); });
    per_rank("scratch", [&](rank_t r) { return s.scratch(r); });
    per_rank("staging", [&](rank_t r) { return s.staging(r); });
    put(FMT_COMPILE("static const collsched_edge {}_edges[] = {{\n"), begin);
    for (const edge& e : s.edges())
        put(FMT_COMPILE("    {{{}, {}, {}, {}, {}, {}, collsched_{}, collsched_{}, collsched_{}}},\n"), e.step, e.src,
            e.dst, e.from_offset, e.into_offset, e.size, name_of(e.from), name_of(e.into), name_of(e.action));
    if (s.edges().empty())
        put(FMT_COMPILE("{}"), "    {0, 0, 0, 0, 0, 0, 0, 0, 0}, /* none: C has no empty arrays */\n");
    put(FMT_COMPILE("{}"), "};\n\n#endif\n");
    return out;
}

}  // namespace collsched::texts
