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
#include "collsched/select/find_algorithm.hpp"
#include "collsched/select/parameter_values.hpp"
#include "collsched/verify/association_report.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// Returns keys, and the names of the free parameters.
inline std::vector<std::string_view> with_parameter_keys(std::vector<std::string_view> keys = {}) {
    for (const free_parameter& one : free_parameters) keys.push_back(one.name);
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
        const json_value whole = parse_json(file_, file_.text, 1);
        check_keys(whole, "a decision table", {"format", "version", "description", "rows"}, extension);
        const json_value& format = needed(whole, "format");
        if (text(format, "format") != "collsched decisions")
            file_.refuse(format.line, "format", json_text(text(format, "format")), "\"collsched decisions\"");
        const std::int64_t version = whole_number(file_, needed(whole, "version"), "version", 1, 2);
        if (const json_value* described = find(whole, "description")) text(*described, "description");
        for (const json_value& value : list(needed(whole, "rows"), "rows")) rows.push_back(row(value, version));
        return rows;
    }
    /// Reads a row of version 1 or 2.
    decision row(const json_value& value, std::int64_t version = 1) const {
        check_keys(value, "a decision",
                   {"collective", "ranks", "ranks_per_node", "bytes", "commutative", "association", "algorithm",
                    "parameters", "source", "time_us", "time_low_us", "time_high_us", "runs"},
                   extension);
        decision made;
        const algorithm_entry& entry = head(value, made);
        if (const json_value* given = find(value, "ranks_per_node"))
            made.ranks_per_node = whole_number(file_, *given, "ranks_per_node", 1);
        if (const json_value* given = find(value, "commutative")) made.commutative = truth(*given, "commutative");
        if (const json_value* given = find(value, "association")) made.association = class_of(*given, made, version);
        if (const json_value* given = find(value, "parameters")) {
            check_keys(*given, "parameters", with_parameter_keys());
            settings(*given, entry, made);
        }
        evidence(value, made);
        return made;
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
        decision made;
        settings(value, head(value, made), made);
        return made;
    }
    /// Reads the members that all rows have. Returns the algorithm.
    const algorithm_entry& head(const json_value& value, decision& made) const {
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
        made.collective = found->info.collective;
        made.algorithm = found->info.name;
        made.ranks = whole_number(file_, needed(value, "ranks"), "ranks", 1);
        made.bytes = whole_number(file_, needed(value, "bytes"), "bytes", 0);
        return *found;
    }
    void settings(const json_value& value, const algorithm_entry& entry, decision& made) const {
        for (const free_parameter& one : free_parameters) {
            const json_value* given = find(value, one.name);
            if (given == nullptr) continue;
            if (!entry.takes(one.value))
                file_.refuse(given->line, std::string(one.name) + " given", "a parameter of the algorithm");
            made.*one.row = whole_number(file_, *given, one.name, 0);
        }
    }
    void evidence(const json_value& value, decision& made) const {
        if (const json_value* given = find(value, "source")) {
            const std::string& name = text(*given, "source");
            if (name == "simulated") made.origin = decision::source::simulated;
            else if (name == "measured") made.origin = decision::source::measured;
            else if (name != "stated")
                file_.refuse(given->line, "source", json_text(name), "\"stated\", \"simulated\" or \"measured\"");
        }
        made.time = time(value, "time_us");
        made.time_low = time(value, "time_low_us");
        made.time_high = time(value, "time_high_us");
        if (const json_value* given = find(value, "runs")) made.runs = whole_number(file_, *given, "runs", 0);
    }
    picoseconds time(const json_value& value, std::string_view name) const {
        const json_value* given = find(value, name);
        if (given == nullptr) return 0;
        constexpr double most = static_cast<double>(decision_time_limit) / 1e6;
        const std::optional<double> us = given->number();
        if (!us || !(*us >= 0) || !(*us <= most))
            file_.refuse(given->line, name, us ? fmt::format("{}", *us) : "no number",
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
