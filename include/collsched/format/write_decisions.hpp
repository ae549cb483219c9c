#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "collsched/format/text.hpp"
#include "collsched/select/decision_table.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// Calls f(name, value) for every parameter value that a row sets.
template <class F>
void for_each_setting(const decision& row, F f) {
    const std::pair<const char*, std::int64_t> all[] = {{"segment", row.segment},
                                                        {"radix", row.radix},
                                                        {"group", row.group},
                                                        {"aggregate", row.aggregate},
                                                        {"window", row.window}};
    for (const auto& [name, value] : all)
        if (value != shape::as_it_is) f(name, value);
}

}  // namespace detail

/// Writes one line of JSON per row: {"collective":"allreduce","ranks":8,"bytes":0,"algorithm":"bruck","radix":4}.
/// @param out    output iterator for the text
/// @param table  rows
/// @return the iterator behind the text
template <class Out>
Out write_decisions(Out out, std::span<const decision> table) {
    for (const decision& row : table) {
        out = fmt::format_to(out, FMT_COMPILE("{{\"collective\":\"{}\",\"ranks\":{},\"bytes\":{},\"algorithm\":{}"),
                             name_of(row.collective), row.ranks, row.bytes, json_text(row.algorithm));
        detail::for_each_setting(row, [&](const char* name, std::int64_t value) {
            out = fmt::format_to(out, FMT_COMPILE(",\"{}\":{}"), name, value);
        });
        out = fmt::format_to(out, FMT_COMPILE("}}\n"));
    }
    return out;
}

/// Writes a C++ header with the table as constexpr data. Programs look up rows with find_decision().
/// @param out    output iterator for the text
/// @param table  rows
/// @param model  model of the prices, for a comment
/// @return the iterator behind the text
template <class Out>
Out write_decision_header(Out out, std::span<const decision> table, std::string_view model) {
    out = fmt::format_to(
        out,
        FMT_COMPILE("// The cheapest algorithms under {}, for find_decision(decisions, collective, ranks, bytes).\n"
                    "#pragma once\n\n#include \"collsched/select/decision_table.hpp\"\n\n"
                    "inline constexpr collsched::decision decisions[] = {{\n"),
        model);
    for (const decision& row : table) {
        out = fmt::format_to(
            out,
            FMT_COMPILE("    {{.collective = collsched::collective::{}, .ranks = {}, .bytes = {}, .algorithm = {}"),
            name_of(row.collective), row.ranks, row.bytes, json_text(row.algorithm));
        detail::for_each_setting(row, [&](const char* name, std::int64_t value) {
            out = fmt::format_to(out, FMT_COMPILE(", .{} = {}"), name, value);
        });
        out = fmt::format_to(out, FMT_COMPILE("}},\n"));
    }
    return fmt::format_to(out, FMT_COMPILE("}};\n"));
}

}}  // namespace collsched::COLLSCHED_ABI
