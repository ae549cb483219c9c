#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
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
    for (const decision::free_parameter& parameter : free_parameters)
        if (row.*parameter.row != shape::as_it_is) f(parameter.name, row.*parameter.row);
}

/// Largest time in a table as JSON: 1,000 seconds. Decimal numbers of microseconds are exact up to it.
inline constexpr picoseconds decision_time_limit = 1'000'000'000'000'000;

/// Calls f(name, time) for every time that a row has.
template <class F>
void for_each_time(const decision& row, F f) {
    const std::pair<const char*, picoseconds> all[] = {
        {"time_us", row.time}, {"time_low_us", row.time_low}, {"time_high_us", row.time_high}};
    for (const auto& [name, time] : all)
        if (time > 0 && time <= decision_time_limit) f(name, time);
}

}  // namespace detail

/// Writes a row as one JSON object: {"collective":"allreduce","ranks":8,"bytes":0,"algorithm":"bruck",
/// "parameters":{"radix":4}}. Members with their default values are left out, and times above 1,000 seconds.
/// @param out  output iterator for the text
/// @param row  a row
/// @return the iterator behind the text
template <class Out>
Out write_decision(Out out, const decision& row) {
    out = fmt::format_to(out, FMT_COMPILE("{{\"collective\":\"{}\",\"ranks\":{}"), name_of(row.collective), row.ranks);
    if (row.ranks_per_node != 1) out = fmt::format_to(out, FMT_COMPILE(",\"ranks_per_node\":{}"), row.ranks_per_node);
    out = fmt::format_to(out, FMT_COMPILE(",\"bytes\":{}"), row.bytes);
    if (row.commutative) out = fmt::format_to(out, FMT_COMPILE(",\"commutative\":true"));
    if (row.association != association_class::any)
        out = fmt::format_to(out, FMT_COMPILE(",\"association\":\"{}\""), name_of(row.association));
    out = fmt::format_to(out, FMT_COMPILE(",\"algorithm\":{}"), json_text(row.algorithm));
    std::string parameters;
    detail::for_each_setting(row, [&](const char* name, std::int64_t value) {
        parameters += fmt::format(FMT_COMPILE("{}\"{}\":{}"), parameters.empty() ? "" : ",", name, value);
    });
    if (!parameters.empty()) out = fmt::format_to(out, FMT_COMPILE(",\"parameters\":{{{}}}"), parameters);
    if (row.origin != decision::source::stated)
        out = fmt::format_to(out, FMT_COMPILE(",\"source\":\"{}\""), name_of(row.origin));
    detail::for_each_time(row, [&](const char* name, picoseconds time) {
        out = fmt::format_to(out, FMT_COMPILE(",\"{}\":{}"), name, microseconds(time));
    });
    if (row.runs != 0) out = fmt::format_to(out, FMT_COMPILE(",\"runs\":{}"), row.runs);
    return fmt::format_to(out, FMT_COMPILE("}}"));
}

/// Writes a table as one JSON object with one row per line, in version 2 of the format if a row has a class of brackets, else in
/// version 1. read_decisions() reads both.
/// @param out          output iterator for the text
/// @param table        rows
/// @param description  origin of the table, for readers of the file
/// @return the iterator behind the text
template <class Out>
Out write_decisions(Out out, std::span<const decision> table, std::string_view description) {
    const bool has_class =
        std::ranges::any_of(table, [](const decision& row) { return row.association != association_class::any; });
    out = fmt::format_to(
        out, FMT_COMPILE("{{\"format\":\"collsched decisions\",\"version\":{},\"description\":{},\"rows\":["),
        has_class ? 2 : 1, json_text(description));
    for (const decision& row : table) {
        out = fmt::format_to(out, FMT_COMPILE("{}\n"), &row == table.data() ? "" : ",");
        out = write_decision(out, row);
    }
    return fmt::format_to(out, FMT_COMPILE("\n]}}\n"));
}

}}  // namespace collsched::COLLSCHED_ABI
