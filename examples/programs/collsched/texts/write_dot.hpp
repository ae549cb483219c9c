#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "collsched/format/text.hpp"
#include "collsched/schedule/stored_schedule.hpp"

namespace collsched::texts {

/// Writes a schedule as a directed graph for the `dot` program of Graphviz: one cluster per rank with one vertex per
/// step in which the rank has an edge, dotted lines between consecutive vertices of a rank, and one arrow per edge of
/// the schedule. An arrow carries the number of bytes and leads from the sender in that step to the receiver after it.
/// The arrow of a combining edge is bold.
/// @param out   output iterator for the text
/// @param s     schedule without error
/// @param name  such as "allgather/ring"
/// @return the iterator behind the text
template <std::output_iterator<char> Out>
Out write_dot(Out out, const stored_schedule& s, std::string_view name) {
    const auto put = [&](const auto& format, const auto&... values) {
        out = fmt::format_to(std::move(out), format, values...);
    };
    put(FMT_COMPILE("digraph {} {{\n  rankdir=LR;\n  node [shape=circle];\n"), json_text(name));
    std::vector<std::vector<step_t>> moments(static_cast<std::size_t>(s.ranks));  // steps with a vertex, per rank
    const auto meet = [&](rank_t r, step_t moment) {
        std::vector<step_t>& rank_moments = moments[static_cast<std::size_t>(r)];
        const auto at = std::lower_bound(rank_moments.begin(), rank_moments.end(), moment);
        if (at == rank_moments.end() || *at != moment) rank_moments.insert(at, moment);
    };
    for (const edge& e : s.edges()) {
        meet(e.src, e.step);
        meet(e.dst, e.step + 1);
    }
    for (rank_t r = 0; r < s.ranks; ++r) {
        put(FMT_COMPILE("  subgraph cluster_{} {{\n    label=\"rank {}\";\n"), r, r);
        const std::vector<step_t>& rank_moments = moments[static_cast<std::size_t>(r)];
        for (const step_t k : rank_moments) put(FMT_COMPILE("    r{}s{} [label=\"{}\"];\n"), r, k, k);
        for (std::size_t i = 1; i < rank_moments.size(); ++i)
            put(FMT_COMPILE("    r{}s{} -> r{}s{} [style=dotted, arrowhead=none];\n"), r, rank_moments[i - 1], r,
                rank_moments[i]);
        put(FMT_COMPILE("{}"), "  }\n");
    }
    for (const edge& e : s.edges())
        put(FMT_COMPILE("  r{}s{} -> r{}s{} [label=\"{}\"{}];\n"), e.src, e.step, e.dst, e.step + 1,
            e.size == 0 ? "signal" : bytes_text(e.size), e.combines() ? ", style=bold" : "");
    put(FMT_COMPILE("{}"), "}\n");
    return out;
}

}  // namespace collsched::texts
