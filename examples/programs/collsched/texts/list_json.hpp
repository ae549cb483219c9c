#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "collsched/format/text.hpp"
#include "collsched/select/algorithm_association.hpp"
#include "collsched/format/schedules/write_json_lines.hpp"
#include "collsched/collective/algorithm_list.hpp"

namespace collsched::texts {

/// Returns the classes of an algorithm, such as "position" or "position; 2^k: canonical".
/// @param summary  classes for any number of ranks, and for powers of two
inline std::string association_text(const association_report::summary& summary) {
    if (summary.any_ranks == summary.powers_of_two) return name_of(summary.any_ranks);
    return fmt::format("{}; 2^k: {}", name_of(summary.any_ranks), name_of(summary.powers_of_two));
}

/// Returns the options of the command line, without dashes, that an algorithm takes in addition to `ranks`. An
/// irregular collective (with v) takes its block sizes from counts.
/// @param entry      an algorithm
/// @param irregular  whether it is the collective with v
inline std::vector<std::string> options_of(const algorithm_entry& entry, bool irregular) {
    std::vector<std::string> options;
    // Some algorithms have a parameter `element` themselves.
    const bool own_element = entry.takes(&shape::element);
    const auto add = [&](std::initializer_list<const char*> more) {
        for (const std::string_view option : more)
            if (option != "element" || !own_element) options.emplace_back(option);
    };
    for (const char* parameter : entry.parameters) {
        const std::string_view name = parameter == nullptr ? "ranks" : parameter;
        if (name == "ranks") continue;
        const bool slots = has_neighbors(entry.info.collective);
        if (name == "neighbors") add({"dims", "periodic", "neighbors"});
        else if (name != "block") options.emplace_back(name);
        else if (irregular && slots) add({"counts", "element"});
        else if (entry.info.collective == collective::neighbor_alltoall) add({"block", "element"});
        else if (irregular && entry.info.collective == collective::alltoall) add({"matrix", "element"});
        else if (irregular) add({"counts", "displs", "element"});
        else add({"block", "bytes", "element"});
    }
    return options;
}

/// Writes one algorithm of a list as one line of JSON. docs/commands/list.md describes the keys.
/// @param out        output iterator for the text
/// @param entry      an algorithm
/// @param irregular  whether it is the collective with v
/// @return the iterator behind the line
template <std::output_iterator<char> Out>
Out write_list_json(Out out, const algorithm_entry& entry, bool irregular) {
    const auto put = [&](const auto& format, const auto&... values) {
        out = fmt::format_to(std::move(out), format, values...);
    };
    const algorithm_info& info = entry.info;
    const std::string name = schedule_name(info, irregular);
    put(FMT_COMPILE(R"({{"name":{},"collective":{},"algorithm":{},"ranks":{},"rooted":{},"commutative":{},)"),
        json_text(name), json_text(split_name(name).collective), json_text(info.name), json_text(info.ranks),
        is_rooted(info.collective), entry.make({}).contract().commutative);
    put(FMT_COMPILE(R"("pacing":"{}","parameters":[)"), pacing_text(entry.make({}).pacing()));
    bool first = true;
    for (const std::string& option : options_of(entry, irregular)) {
        put(FMT_COMPILE("{}{}"), first ? "" : ",", json_text(option));
        first = false;
    }
    put(FMT_COMPILE("],"));
    if (has_association(entry)) {
        const association_report::summary classes = summarize_association(entry);
        put(FMT_COMPILE(R"("association":"{}","association_powers_of_two":"{}",)"), name_of(classes.any_ranks),
            name_of(classes.powers_of_two));
    }
    put(FMT_COMPILE(R"("rounds":{},"source":{}}})"
                    "\n"),
        json_text(info.rounds), json_text(info.source));
    return out;
}

}  // namespace collsched::texts
