#pragma once

#include <algorithm>
#include <optional>
#include <string_view>

#include "collsched/format/text.hpp"
#include "collsched/schedule/metrics.hpp"
#include "collsched/verify/association_report.hpp"

namespace collsched::texts {

/// Writes metrics as one line of JSON. docs/commands/metrics.md describes the keys.
/// @param out   output iterator for the text
/// @param m     counts of a schedule
/// @param name  such as "allgather/ring"
/// @param level class of its association, if it was computed
/// @return the iterator behind the line
template <std::output_iterator<char> Out>
Out write_metrics_json(Out out, const metrics_report& m, std::string_view name,
                       std::optional<association_class> level = std::nullopt) {
    const auto put = [&](const auto& format, const auto&... values) {
        out = fmt::format_to(std::move(out), format, values...);
    };
    const auto list = [&](const char* key, const owned_array<std::int64_t>& values) {
        put(FMT_COMPILE(",\"{}\":[{}]"), key, fmt::join(values, ","));
    };
    put(FMT_COMPILE(R"({{"schedule":{},"ranks":{},"steps":{},"rounds":{},"messages":{},"transfers":{},"signals":{})"),
        json_text(name), m.ranks, m.steps, m.rounds, m.messages, m.transfers, m.signals);
    list("bytes_sent", m.bytes_sent);
    list("bytes_received", m.bytes_received);
    list("copies", m.copies);
    list("copied_bytes", m.copied_bytes);
    put(FMT_COMPILE(R"(,"max_in_degree":{},"max_out_degree":{})"), m.max_in_degree, m.max_out_degree);
    list("connections", m.connections);
    list("scratch", m.scratch);
    list("staging", m.staging);
    if (level) put(FMT_COMPILE(R"(,"association":"{}")"), name_of(*level));
    put(FMT_COMPILE(R"(,"alcd":{},"bounds":{{"rounds":{},"bytes":{}}}}})"
                    "\n"),
        m.alcd(), m.bounds.rounds, m.bounds.bytes);
    return out;
}

/// Writes metrics as text: the totals, and the minimum and maximum over ranks of each count per rank.
/// @param out   output iterator for the text
/// @param m     counts of a schedule
/// @param name  such as "allgather/ring"
/// @param level class of its association, if it was computed
/// @return the iterator behind the text
template <std::output_iterator<char> Out>
Out write_metrics(Out out, const metrics_report& m, std::string_view name,
                  std::optional<association_class> level = std::nullopt) {
    const auto put = [&](const auto& format, const auto&... values) {
        out = fmt::format_to(std::move(out), format, values...);
    };
    const auto line = [&](std::string_view label, std::int64_t value) {
        put(FMT_COMPILE("  {:<26}{:>20}\n"), label, value);
    };
    const auto spread = [&](std::string_view label, const owned_array<std::int64_t>& values) {
        const auto [least, most] = std::minmax_element(values.begin(), values.end());
        put(FMT_COMPILE("  {:<26}{:>20}{:>20}\n"), label, *least, *most);
    };
    put(FMT_COMPILE("{}: {} rank{}\n"), name, m.ranks, m.ranks == 1 ? "" : "s");
    put(FMT_COMPILE("  {:<26}{:>20}\n"), "whole schedule", "value");
    line("steps", m.steps);
    line("rounds", m.rounds);
    line("rounds, lower bound", m.bounds.rounds);
    line("rounds above the bound", m.rounds - m.bounds.rounds);
    line("messages", m.messages);
    line("transfers", m.transfers);
    line("signals", m.signals);
    line("in-degree per step (max)", m.max_in_degree);
    line("out-degree per step (max)", m.max_out_degree);
    line("bytes per rank (max)", m.volume());
    line("bytes, lower bound", m.bounds.bytes);
    line("bytes above the bound", m.volume() - m.bounds.bytes);
    put(FMT_COMPILE("  {:<26}{:>20.6f}\n"), "ALCD", m.alcd());
    if (level) put(FMT_COMPILE("  {:<26}{:>20}\n"), "association", name_of(*level));
    put(FMT_COMPILE("  {:<26}{:>20}{:>20}\n"), "per rank", "least", "most");
    spread("bytes sent", m.bytes_sent);
    spread("bytes received", m.bytes_received);
    spread("local copies", m.copies);
    spread("copied bytes", m.copied_bytes);
    spread("connections", m.connections);
    spread("scratch", m.scratch);
    spread("staging", m.staging);
    return out;
}

}  // namespace collsched::texts
