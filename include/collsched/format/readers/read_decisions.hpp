#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collsched/format/readers/detail/json_reader.hpp"
#include "collsched/select/decision_table.hpp"
#include "collsched/select/parameter_values.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Reads a table in the format of write_decisions(). The rows refer to the algorithms of `list`. Throws input_error.
/// @param file  the text
/// @param list  algorithms that the rows may name
/// @return rows in the order of the file
inline std::vector<decision> read_decisions(const text_file& file, std::span<const algorithm_entry> list) {
    const detail::json_reader read(file);
    std::vector<decision> table;
    read.for_each_line([&](const detail::json_value& value) {
        read.check_keys(
            value, "a decision",
            {"collective", "ranks", "bytes", "algorithm", "segment", "radix", "group", "aggregate", "window"});
        decision row;
        const detail::json_value& collective = read.needed(value, "collective");
        const detail::json_value& name = read.needed(value, "algorithm");
        const algorithm_entry* found = nullptr;
        bool known = false;
        for (const algorithm_entry& entry : list) {
            if (name_of(entry.info.collective) != read.text(collective, "collective")) continue;
            known = true;
            if (entry.info.name == read.text(name, "algorithm")) found = &entry;
        }
        if (!known)
            file.refuse(collective.line, "collective", json_text(read.text(collective, "collective")),
                        "one of the list");
        if (found == nullptr)
            file.refuse(name.line, "algorithm", json_text(read.text(name, "algorithm")), "one of the list");
        row.collective = found->info.collective;
        row.algorithm = found->info.name;
        row.ranks = detail::whole_number(file, read.needed(value, "ranks"), "ranks", 1);
        row.bytes = detail::whole_number(file, read.needed(value, "bytes"), "bytes", 0);
        const auto setting = [&](const char* parameter, std::int64_t& into) {
            const detail::json_value* given = detail::json_reader::find(value, parameter);
            if (given == nullptr) return;
            if (!found->takes(parameter))
                file.refuse(given->line, std::string(parameter) + " given", "a parameter of the algorithm");
            into = detail::whole_number(file, *given, parameter, 0);
        };
        setting("segment", row.segment);
        setting("radix", row.radix);
        setting("group", row.group);
        setting("aggregate", row.aggregate);
        setting("window", row.window);
        table.push_back(row);
    });
    return table;
}
/// Reads the file of this path. Throws input_error.
/// @param path  path of the file
/// @param list  algorithms that the rows may name
/// @return rows in the order of the file
inline std::vector<decision> read_decisions(const std::filesystem::path& path, std::span<const algorithm_entry> list) {
    return read_decisions(read_text_file(path), list);
}

}}  // namespace collsched::COLLSCHED_ABI
