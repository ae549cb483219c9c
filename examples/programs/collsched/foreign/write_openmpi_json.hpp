#pragma once

#include <cstddef>
#include <span>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "write_openmpi_rules.hpp"

namespace collsched::foreign {

/// Writes a rules file of Open MPI 6.0 for its component `tuned`, as JSON. Open MPI applies the first rule that
/// matches, so ranges are written in full. Remarks are omitted, since the format has no comments. The properties of
/// programs become the fragment of "$schema", the only field with free text. Without properties the field is omitted.
/// @pre as for write_openmpi_rules(); last_ranks and last_bytes are set by end_rules(); every collective is in_schema
/// Source: docs/tuning-apps/collectives/tuned.rst and docs/tuning-apps/tuned_dynamic_file_schema.json.
/// @param out      output iterator for the text
/// @param rules    rules of Open MPI 6.0
/// @param programs  properties of all programs that run with the file
/// @return the iterator behind the text
template <class Out>
Out write_openmpi_json(Out out, std::span<const openmpi_rules::rule> rules,
                       openmpi_rules::program_properties programs = {}) {
    const auto range = [&](const char* name, std::int64_t first, std::int64_t last) {
        out = fmt::format_to(out, FMT_COMPILE("\"{}_min\": {}, \"{}_max\": "), name, first, name);
        out = last == openmpi_rules::rule::no_end ? fmt::format_to(out, FMT_COMPILE("\"inf\""))
                                                  : fmt::format_to(out, FMT_COMPILE("{}"), last);
    };
    out = fmt::format_to(out, FMT_COMPILE("{{\n"));
    if (programs.commutative_only || programs.equal_arguments)
        out = fmt::format_to(out, FMT_COMPILE("  \"$schema\": \"tuned_dynamic_file_schema.json#{}{}{}\",\n"),
                             programs.commutative_only ? "commutative-only" : "",
                             programs.commutative_only && programs.equal_arguments ? "," : "",
                             programs.equal_arguments ? "equal-arguments" : "");
    out = fmt::format_to(out,
                         FMT_COMPILE("  \"rule_file_version\": 3,\n  \"module\": \"tuned\",\n  \"collectives\": {{"));
    for (std::size_t i = 0, end = 0; i < rules.size(); i = end) {
        end = run_end(rules, i, same_collective);
        out =
            fmt::format_to(out, FMT_COMPILE("{}\n    \"{}\": ["), i == 0 ? "" : ",", info_of(rules[i].collective).name);
        for (std::size_t j = i, next = 0; j < end; j = next) {
            next = run_end(rules, j, same_ranks);
            out = fmt::format_to(out, FMT_COMPILE("{}\n      {{"), j == i ? "" : ",");
            range("comm_size", rules[j].ranks, rules[j].last_ranks);
            out = fmt::format_to(out, FMT_COMPILE(", \"rules\": ["));
            for (std::size_t k = j; k < next; ++k) {
                out = fmt::format_to(out, FMT_COMPILE("{}\n        {{"), k == j ? "" : ",");
                range("msg_size", rules[k].bytes, rules[k].last_bytes);
                out = fmt::format_to(out, FMT_COMPILE(", \"alg\": {}"), rules[k].number);
                if (rules[k].fan > 0) out = fmt::format_to(out, FMT_COMPILE(", \"faninout\": {}"), rules[k].fan);
                if (rules[k].segment > 0)
                    out = fmt::format_to(out, FMT_COMPILE(", \"seg_size\": {}"), rules[k].segment);
                if (rules[k].requests > 0) out = fmt::format_to(out, FMT_COMPILE(", \"reqs\": {}"), rules[k].requests);
                out = fmt::format_to(out, FMT_COMPILE("}}"));
            }
            out = fmt::format_to(out, FMT_COMPILE("\n      ]}}"));
        }
        out = fmt::format_to(out, FMT_COMPILE("\n    ]"));
    }
    return fmt::format_to(out, FMT_COMPILE("{}}}\n}}\n"), rules.empty() ? "" : "\n  ");
}

}  // namespace collsched::foreign
