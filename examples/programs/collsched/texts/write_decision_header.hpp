#pragma once

#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "collsched/format/text.hpp"
#include "collsched/select/decision_table.hpp"

namespace collsched::texts {

/// Writes a C++ header with the table as constexpr data. Programs look up rows with find_decision().
/// @param out    output iterator for the text
/// @param table  rows
/// @param origin  origin of the rows, for a comment of one line, such as "The cheapest algorithms under hockney"
/// @return the iterator behind the text
template <class Out>
Out write_decision_header(Out out, std::span<const decision> table, std::string_view origin) {
    out = fmt::format_to(out,
                         FMT_COMPILE("// {}, for find_decision(decisions, call).\n"
                                     "#pragma once\n\n#include \"collsched/select/decision_table.hpp\"\n\n"
                                     "inline constexpr collsched::decision decisions[] = {{\n"),
                         origin);
    for (const decision& row : table) {
        out = fmt::format_to(out, FMT_COMPILE("    {{.collective = collsched::collective::{}, .ranks = {}"),
                             name_of(row.collective), row.ranks);
        if (row.ranks_per_node != 1)
            out = fmt::format_to(out, FMT_COMPILE(", .ranks_per_node = {}"), row.ranks_per_node);
        out = fmt::format_to(out, FMT_COMPILE(", .bytes = {}"), row.bytes);
        if (row.commutative) out = fmt::format_to(out, FMT_COMPILE(", .commutative = true"));
        if (row.association != association_class::any)
            out = fmt::format_to(out, FMT_COMPILE(", .association = collsched::association_class::{}"),
                                 name_of(row.association));
        out = fmt::format_to(out, FMT_COMPILE(", .algorithm = {}"), json_text(row.algorithm));
        const auto set = [&](const char* name, std::int64_t value) {
            out = fmt::format_to(out, FMT_COMPILE(", .{} = {}"), name, value);
        };
        for (const decision::free_parameter& parameter : free_parameters)
            if (row.*parameter.row != shape::as_it_is) set(parameter.name, row.*parameter.row);
        if (row.origin != decision::source::stated)
            out = fmt::format_to(out, FMT_COMPILE(", .origin = collsched::decision::source::{}"), name_of(row.origin));
        if (row.time != 0) set("time", row.time);
        if (row.time_low != 0) set("time_low", row.time_low);
        if (row.time_high != 0) set("time_high", row.time_high);
        if (row.runs != 0) set("runs", row.runs);
        out = fmt::format_to(out, FMT_COMPILE("}},\n"));
    }
    return fmt::format_to(out, FMT_COMPILE("}};\n"));
}

}  // namespace collsched::texts
