#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "algorithms/algorithms.hpp"
#include "collsched/format/rules/read_decisions.hpp"
#include "foreign/read_mpich_selection.hpp"
#include "foreign/openmpi_findings.hpp"
#include "foreign/read_openmpi_json.hpp"
#include "foreign/read_openmpi_rules.hpp"
#include "collsched/format/files/text_file.hpp"
#include "collsched/format/rules/write_decisions.hpp"
#include "decision_output.hpp"
#include "table_request.hpp"
#include "text_output.hpp"
#include "text_table.hpp"
#include "texts/write_decision_header.hpp"
#include "usage_error.hpp"

using namespace collsched;
using namespace collsched::foreign;

namespace {

std::string range(std::int64_t first, std::int64_t last) {
    if (last == openmpi_rules::rule::no_end) return fmt::format("{}..", first);
    return first == last ? std::to_string(first) : fmt::format("{}..{}", first, last);
}

/// Returns the parameters of a rule, and its remark.
std::string parameters_of(const openmpi_rules::rule& rule) {
    std::string text;
    const auto add = [&](const std::string& more) { text += (text.empty() ? "" : ", ") + more; };
    if (rule.fan > 0) add(fmt::format("fan {}", rule.fan));
    if (rule.segment > 0) add(fmt::format("segments of {}", bytes_text(rule.segment)));
    if (rule.requests > 0) add(fmt::format("{} requests", rule.requests));
    if (!rule.remark.empty()) add(rule.remark);
    return text;
}

void put_rules(const std::vector<openmpi_rules::rule>& rules, openmpi_rules::release version) {
    constexpr auto right = text_table::side::right;
    text_table table(
        {{"collective"}, {"ranks", right}, {"bytes", right}, {"number", right}, {"algorithm"}, {"parameters"}});
    for (const openmpi_rules::rule& rule : rules) {
        const openmpi_algorithm* const row = find_openmpi_algorithm(version, rule.collective, rule.number);
        const std::string_view algorithm = rule.number == 0 ? "Open MPI's choice"
                                           : row != nullptr ? row->name
                                                            : "unknown";
        table.add({std::string(info_of(rule.collective).name), range(rule.ranks, rule.last_ranks),
                   range(rule.bytes, rule.last_bytes), std::to_string(rule.number), std::string(algorithm),
                   parameters_of(rule)});
    }
    table.print();
}

/// Prints the findings of a file. Returns the exit status.
template <class Findings>
int put_findings(const text_file& file, const Findings& findings) {
    for (const auto& found : findings)
        put_line(styled(fmt::format("{}:{}: {}", file.name, found.line, found.text), text_style::failure));
    return findings.empty() ? success : refused;
}

int explain_openmpi(const text_file& file, std::optional<openmpi_rules::release> wanted) {
    const bool json = file.text[file.text.find_first_not_of(" \t\r\n")] == '{';
    openmpi_rules read =
        read_or_refuse("--read", [&] { return json ? read_openmpi_json(file) : read_openmpi_rules(file); });
    if (json && wanted && *wanted != openmpi_rules::release::v6_0)
        throw usage_error("--openmpi-version", name_of(*wanted), "6.0 for a file in JSON");
    if (!wanted) wanted = read.version;
    if (!wanted)
        throw usage_error::missing("--openmpi-version", "the version of Open MPI, which the file does not name");
    if (read.format == 2 && *wanted < openmpi_rules::release::v5_0)
        read.findings.push_back(
            {1,
             fmt::format("Open MPI {} does not read rule-file-version: it ignores the whole file", name_of(*wanted))});
    put_line(fmt::format("Open MPI {}, component tuned, {} rule{}", name_of(*wanted), read.rules.size(),
                         read.rules.size() == 1 ? "" : "s"));
    put_rules(read.rules, *wanted);
    for (const auto& found : openmpi_findings(read.rules, *wanted, json)) read.findings.push_back(found);
    return put_findings(file, read.findings);
}

int explain_mpich(const text_file& file) {
    const mpich_selection_file read = read_or_refuse("--read", [&] { return read_mpich_selection(file); });
    put_line(fmt::format("MPICH, collective selection, {} rules", read.rules.size()));
    text_table table({{"collective"}, {"algorithm"}, {"conditions"}});
    for (const mpich_selection_file::rule& rule : read.rules) {
        std::string conditions;
        for (std::size_t i = 1; i < rule.conditions.size(); ++i)
            conditions += (conditions.empty() ? "" : ", ") + rule.conditions[i];
        table.add({rule.conditions.front().substr(rule.conditions.front().find('=') + 1), rule.algorithm, conditions});
    }
    table.print();
    return put_findings(file, read.findings);
}

int explain_decisions(const text_file& file, const rules_request& wanted) {
    const std::vector<decision> rows =
        read_or_refuse("--read", [&] { return read_decisions(file, compiled::whole_registry()); });
    std::error_code none;
    if (wanted.header && std::filesystem::equivalent(wanted.path, *wanted.header, none))
        throw usage_error("--header", *wanted.header, "another file than that of --read");
    if (wanted.header)
        write_file("--header", *wanted.header, [&](text_output::iterator out) {
            texts::write_decision_header(out, rows, fmt::format("The rows of {}", json_text(description_of(file))));
        });
    if (wanted.json) write_decisions(standard_output().out(), rows, description_of(file));
    else put_decisions(rows);
    return success;
}

}  // namespace

int explain_rules(const rules_request& wanted) {
    const text_file file = read_or_refuse("--read", [&] { return read_text_file(std::filesystem::path(wanted.path)); });
    const char* const format = rules_format(file.text);
    if (format == nullptr)
        throw usage_error("--read", wanted.path,
                          "a decision table, a rules file of Open MPI (text or JSON), or a selection file of MPICH");
    if (format == std::string_view("a decision table")) {
        if (wanted.version) throw usage_error::conflict("--openmpi-version", "a decision table");
        return explain_decisions(file, wanted);
    }
    if (wanted.json) throw usage_error::conflict("--json", "a rules file");
    if (wanted.header) throw usage_error::conflict("--header", "a rules file");
    if (std::string_view(format).find("MPICH") == std::string_view::npos) return explain_openmpi(file, wanted.version);
    if (wanted.version) throw usage_error::conflict("--openmpi-version", "a selection file of MPICH");
    return explain_mpich(file);
}
