#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "catalogue.hpp"
#include "collsched/format.hpp"
#include "commands.hpp"
#include "options.hpp"
#include "text_output.hpp"
#include "text_table.hpp"
#include "texts/list_json.hpp"
#include "usage_error.hpp"

namespace {

struct list_options {
    explicit list_options(CLI::App& command)
        : collective(command, "COLLECTIVE", "one collective (default: all)"),
          json(command, option_group::output, "--json", "one JSON object per schedule and line, with its parameters") {}

    text_option collective;
    flag_option json;
};

/// Returns the option that the name with v of a collective requires; null if it has no name with v.
const char* sizes_option(std::string_view collective) {
    const std::string irregular = fmt::format("{}v", collective);
    for (const listed_schedule& one : catalogue())
        if (collsched::split_name(one.name).collective == irregular)
            return one.entry->info.collective == collsched::collective::alltoall ? "--matrix" : "--counts";
    return nullptr;
}

/// Returns the classes of a reduction; empty where they depend on the cluster or network.
std::string association_cell(const collsched::algorithm_entry& entry) {
    return collsched::has_association(entry)
               ? collsched::texts::association_text(collsched::summarize_association(entry))
               : "";
}

/// Prints the schedules of a collective under its name, without v.
void put_table(std::string_view collective, const std::vector<listed_schedule>& schedules) {
    put_line(styled(collective, text_style::heading));
    if (const char* const option = sizes_option(collective))
        put_line(fmt::format("{}v/ALGORITHM is the same schedule for blocks of different sizes, with {}.", collective,
                             option));
    const bool reduction = collsched::reduces(schedules.front().entry->info.collective);
    std::vector<text_table::column> columns{{"algorithm"}, {"ranks"}, {"rounds"}, {"source"}};
    if (reduction) columns.insert(columns.end() - 1, {"association"});
    text_table table(columns);
    for (const listed_schedule& one : schedules) {
        const collsched::algorithm_info& info = one.entry->info;
        std::vector<std::string> cells{info.name, info.ranks, info.rounds, info.source};
        if (reduction) cells.insert(cells.end() - 1, association_cell(*one.entry));
        table.add(cells);
    }
    table.print();
}

/// Returns the collectives to list.
std::vector<std::string> requested(const list_options& options) {
    if (!options.collective.given()) return collectives();
    return {find_collective(options.collective.text())};
}

void put_tables(const std::vector<std::string>& names) {
    const char* gap = "";
    for (const std::string& name : names) {
        const std::vector<listed_schedule> schedules = find_schedules(name, false);
        const bool irregular = schedules.front().irregular;
        if (irregular && names.size() > 1) continue;
        standard_output().write(gap);
        put_table(irregular ? name.substr(0, name.size() - 1) : name, schedules);
        gap = "\n";
    }
}

int list(const list_options& options) {
    const std::vector<std::string> names = requested(options);
    if (!options.json.given()) {
        put_tables(names);
        return success;
    }
    for (const listed_schedule& one : catalogue())
        if (std::ranges::find(names, collsched::split_name(one.name).collective) != names.end())
            collsched::texts::write_list_json(standard_output().out(), *one.entry, one.irregular);
    return success;
}

}  // namespace

command add_list(CLI::App& program) {
    return make_command<list_options>(program,
                                      {.name = "list",
                                       .phrase = "tables of all schedules, by collective",
                                       .sentence = "Lists the schedules, one table per collective.",
                                       .usage = {"list [COLLECTIVE] [--json]"},
                                       .examples = {"list allgather", "list --json"}},
                                      list);
}
