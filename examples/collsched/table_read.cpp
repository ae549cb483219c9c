#include <filesystem>

#include <fmt/format.h>

#include "collsched/format/readers/read_mpich_selection.hpp"
#include "collsched/format/readers/read_openmpi_json.hpp"
#include "collsched/format/readers/rules_format.hpp"
#include "table_request.hpp"
#include "text_output.hpp"
#include "usage_error.hpp"

using namespace collsched;

namespace {

std::string range(std::int64_t first, std::int64_t last, std::string_view unit) {
    if (last == openmpi_rules::rule::no_end) return fmt::format("{} {} or more", first, unit);
    return first == last ? fmt::format("{} {}", first, unit) : fmt::format("{} to {} {}", first, last, unit);
}

void explain(const openmpi_rules::rule& rule, openmpi_rules::release version) {
    const detail::openmpi_algorithm* const row = detail::find_openmpi_algorithm(version, rule.collective, rule.number);
    std::string line = fmt::format("{}, {}, {}: {} ({})", detail::info_of(rule.collective).name,
                                   range(rule.ranks, rule.last_ranks, "ranks"),
                                   range(rule.bytes, rule.last_bytes, "bytes"), rule.number,
                                   rule.number == 0 ? "its own choice"
                                   : row != nullptr ? row->name
                                                    : "unknown");
    if (rule.fan > 0) line += fmt::format(", fan {}", rule.fan);
    if (rule.segment > 0) line += fmt::format(", segments of {} bytes", rule.segment);
    if (rule.requests > 0) line += fmt::format(", {} requests", rule.requests);
    if (!rule.remark.empty()) line += fmt::format(", {}", rule.remark);
    put_line(line);
}

int explain_openmpi(const text_file& file, std::optional<openmpi_rules::release> wanted) {
    const bool json = file.text[file.text.find_first_not_of(" \t\r\n")] == '{';
    openmpi_rules read =
        read_or_refuse("--read", [&] { return json ? read_openmpi_json(file) : read_openmpi_rules(file); });
    if (json && wanted && *wanted != openmpi_rules::release::v6_0)
        throw usage_error("--openmpi-version", name_of(*wanted), "6.0 for a file in JSON");
    if (!wanted) wanted = read.version;
    if (!wanted) throw usage_error::missing("--openmpi-version", "the file does not name a version of Open MPI");
    if (read.format == 2 && *wanted < openmpi_rules::release::v5_0)
        read.findings.push_back(
            {1,
             fmt::format("Open MPI {} does not read rule-file-version: it ignores the whole file", name_of(*wanted))});
    put_line(fmt::format("Open MPI {}, component tuned, {} rules", name_of(*wanted), read.rules.size()));
    for (const openmpi_rules::rule& rule : read.rules) explain(rule, *wanted);
    for (const auto& found : openmpi_findings(read.rules, *wanted, json)) read.findings.push_back(found);
    for (const openmpi_rules::finding& found : read.findings)
        put_line(fmt::format("{}:{}: {}", file.name, found.line, found.text));
    return read.findings.empty() ? success : refused;
}

int explain_mpich(const text_file& file) {
    const mpich_selection_file read = read_or_refuse("--read", [&] { return read_mpich_selection(file); });
    put_line(fmt::format("MPICH, collective selection, {} rules", read.rules.size()));
    for (const mpich_selection_file::rule& rule : read.rules) {
        std::string line = rule.conditions.front().substr(rule.conditions.front().find('=') + 1);
        for (std::size_t i = 1; i < rule.conditions.size(); ++i) line += ", " + rule.conditions[i];
        put_line(fmt::format("{}: {}", line, rule.algorithm));
    }
    for (const mpich_selection_file::finding& found : read.findings)
        put_line(fmt::format("{}:{}: {}", file.name, found.line, found.text));
    return read.findings.empty() ? success : refused;
}

}  // namespace

int explain_rules(const std::string& path, const std::optional<openmpi_rules::release>& version) {
    const text_file file = read_or_refuse("--read", [&] { return read_text_file(std::filesystem::path(path)); });
    const char* const format = rules_format(file.text);
    if (format == nullptr)
        throw usage_error("--read", path, "a rules file of Open MPI (text or JSON), or a selection file of MPICH");
    if (std::string_view(format).find("MPICH") == std::string_view::npos) return explain_openmpi(file, version);
    if (version) throw usage_error::conflict("--openmpi-version", "a selection file of MPICH");
    return explain_mpich(file);
}
