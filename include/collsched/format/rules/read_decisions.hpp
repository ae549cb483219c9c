#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collsched/format/files/json_reader.hpp"
#include "collsched/format/rules/write_decisions.hpp"
#include "collsched/select/decision_table.hpp"
#include "collsched/select/choice.hpp"
#include "collsched/verify/association_report.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// Returns keys, and the names of the free parameters.
inline std::vector<std::string_view> with_parameter_keys(std::vector<std::string_view> keys = {}) {
    for (const decision::free_parameter& parameter : free_parameters) keys.push_back(parameter.name);
    return keys;
}

/// Reads rows of decision tables.
class decision_reader : json_reader {
  public:
    decision_reader(const text_file& file, std::span<const algorithm_entry> list) : json_reader(file), list_(list) {}

    /// Reads a table in version 1 or 2 or, where the first line is an object of its own without "format", JSON Lines.
    std::vector<decision> table() const {
        std::vector<decision> rows;
        if (is_json_lines()) {
            for_each_line([&](const json_value& value) { rows.push_back(line(value)); });
            return rows;
        }
        file_.refuse_zero_bytes("JSON");
        const json_value table = parse_json(file_, file_.text, 1);
        check_keys(table, "a decision table", {"format", "version", "description", "rows"}, extension);
        const json_value& format = needed(table, "format");
        if (text(format, "format") != "collsched decisions")
            file_.refuse(format.line, "format", json_text(text(format, "format")), "\"collsched decisions\"");
        const std::int64_t version = whole_number(file_, needed(table, "version"), "version", 1, 2);
        if (const json_value* described = find(table, "description")) text(*described, "description");
        for (const json_value& value : list(needed(table, "rows"), "rows")) rows.push_back(row(value, version));
        return rows;
    }
    /// Reads a row of version 1 or 2.
    decision row(const json_value& value, std::int64_t version = 1) const {
        check_keys(value, "a decision",
                   {"collective", "ranks", "ranks_per_node", "bytes", "commutative", "association", "algorithm",
                    "parameters", "source", "time_us", "time_low_us", "time_high_us", "runs"},
                   extension);
        decision parsed;
        const algorithm_entry& entry = head(value, parsed);
        if (const json_value* member = find(value, "ranks_per_node"))
            parsed.ranks_per_node = whole_number(file_, *member, "ranks_per_node", 1);
        if (const json_value* member = find(value, "commutative")) parsed.commutative = truth(*member, "commutative");
        if (const json_value* member = find(value, "association"))
            parsed.association = class_of(*member, parsed, version);
        if (const json_value* member = find(value, "parameters")) {
            check_keys(*member, "parameters", with_parameter_keys());
            settings(*member, entry, parsed);
        }
        evidence(value, parsed);
        return parsed;
    }

  private:
    /// Keys that begin with it are ignored; other unknown keys are errors, since they may restrict a row.
    static constexpr std::string_view extension = "x_";

    bool is_json_lines() const {
        const std::size_t begin = file_.text.find_first_not_of(" \t\r\n");
        if (begin == file_.text.npos) return true;
        const std::string_view first = std::string_view(file_.text).substr(begin, file_.text.find('\n', begin) - begin);
        const auto value = nlohmann::json::parse(first, nullptr, false);
        return value.is_object() && !value.contains("format");
    }
    /// Reads the class of a row. Version 1 has no other than any, as have collectives without a combination.
    association_class class_of(const json_value& value, const decision& row, std::int64_t version) const {
        const std::string& name = text(value, "association");
        if (name == "any") return association_class::any;
        const std::optional<association_class> found = find_association_class(name);
        const bool allowed = version > 1 && reduces(row.collective);
        if (!found || !allowed)
            file_.refuse(value.line, "association", json_text(name),
                         allowed       ? "\"any\", \"rank\", \"position\" or \"canonical\""
                         : version > 1 ? "\"any\", since the collective combines nothing"
                                       : "\"any\" in version 1");
        return *found;
    }
    /// Reads a row of the format before version 1, whose parameters are members of the row.
    decision line(const json_value& value) const {
        check_keys(value, "a decision", with_parameter_keys({"collective", "ranks", "bytes", "algorithm"}));
        decision parsed;
        settings(value, head(value, parsed), parsed);
        return parsed;
    }
    /// Reads the members that all rows have. Returns the algorithm.
    const algorithm_entry& head(const json_value& value, decision& parsed) const {
        const json_value& collective = needed(value, "collective");
        const json_value& name = needed(value, "algorithm");
        const auto one_of_it = std::ranges::find_if(list_, [&](const algorithm_entry& entry) {
            return name_of(entry.info.collective) == text(collective, "collective");
        });
        if (one_of_it == list_.end())
            file_.refuse(collective.line, "collective", json_text(text(collective, "collective")),
                         "one of 'collsched list'");
        const algorithm_entry* const found = find_algorithm(list_, one_of_it->info.collective, text(name, "algorithm"));
        if (found == nullptr)
            file_.refuse(name.line, "algorithm", json_text(text(name, "algorithm")), "one of 'collsched list'");
        parsed.collective = found->info.collective;
        parsed.algorithm = found->info.name;
        parsed.ranks = whole_number(file_, needed(value, "ranks"), "ranks", 1);
        parsed.bytes = whole_number(file_, needed(value, "bytes"), "bytes", 0);
        return *found;
    }
    void settings(const json_value& value, const algorithm_entry& entry, decision& parsed) const {
        for (const decision::free_parameter& parameter : free_parameters) {
            const json_value* member = find(value, parameter.name);
            if (member == nullptr) continue;
            if (!entry.takes(parameter.value))
                file_.refuse(member->line, std::string(parameter.name) + " given", "a parameter of the algorithm");
            parsed.*parameter.row = whole_number(file_, *member, parameter.name, 0);
        }
    }
    void evidence(const json_value& value, decision& parsed) const {
        if (const json_value* member = find(value, "source")) {
            const std::string& name = text(*member, "source");
            if (name == "simulated") parsed.origin = decision::source::simulated;
            else if (name == "measured") parsed.origin = decision::source::measured;
            else if (name != "stated")
                file_.refuse(member->line, "source", json_text(name), "\"stated\", \"simulated\" or \"measured\"");
        }
        parsed.time = time(value, "time_us");
        parsed.time_low = time(value, "time_low_us");
        parsed.time_high = time(value, "time_high_us");
        if (const json_value* member = find(value, "runs")) parsed.runs = whole_number(file_, *member, "runs", 0);
    }
    picoseconds time(const json_value& value, std::string_view name) const {
        const json_value* member = find(value, name);
        if (member == nullptr) return 0;
        constexpr double most = static_cast<double>(decision_time_limit) / 1e6;
        const std::optional<double> us = member->number();
        if (!us || !(*us >= 0) || !(*us <= most))
            file_.refuse(member->line, name, us ? fmt::format("{}", *us) : "no number",
                         fmt::format("microseconds, 0 to {}", most));
        return ps_of_us(*us);
    }

    std::span<const algorithm_entry> list_;
};

}  // namespace detail

/// Reads a row in version 1 of the format, a value of a JSON text. Throws input_error.
/// @param file   the text, for errors
/// @param value  the row
/// @param list   algorithms that the row may name
inline decision read_decision(const text_file& file, const json_reader::json_value& value,
                              std::span<const algorithm_entry> list) {
    return detail::decision_reader(file, list).row(value);
}

/// Reads a table in the format of write_decisions(), version 1 or 2, or in JSON Lines, the format before it. The rows refer
/// to the algorithms of `list`. Throws input_error: for another version, an unknown key that does not begin with "x_",
/// an algorithm that `list` does not have, a parameter that the algorithm does not have, or a value out of range.
/// @param file  the text
/// @param list  algorithms that the rows may name
/// @return rows in the order of the file
inline std::vector<decision> read_decisions(const text_file& file, std::span<const algorithm_entry> list) {
    return detail::decision_reader(file, list).table();
}
/// Reads the file of this path. Throws input_error.
/// @param path  path of the file
/// @param list  algorithms that the rows may name
/// @return rows in the order of the file
inline std::vector<decision> read_decisions(const std::filesystem::path& path, std::span<const algorithm_entry> list) {
    return read_decisions(read_text_file(path), list);
}

}}  // namespace collsched::COLLSCHED_ABI
