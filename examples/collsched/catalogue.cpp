#include "catalogue.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <range/v3/algorithm/find.hpp>
#include <range/v3/range/conversion.hpp>
#include <range/v3/view/filter.hpp>

#include "algorithms/algorithms.hpp"
#include "collsched/format.hpp"
#include "usage_error.hpp"

using namespace collsched;

namespace {

/// Returns the number of single-letter edits between a and b (Levenshtein distance).
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back();
}

std::string expected_names(std::string_view name, std::string_view besides) {
    std::vector<std::string> names;
    for (const listed_schedule& one : catalogue()) names.push_back(one.name);
    const std::vector<std::string> near = similar(name, names);
    const std::string all = fmt::format("a name of 'collsched list'{}", besides);
    return near.empty() ? all : fmt::format("{}, or {}", fmt::join(near, ", "), all);
}

}  // namespace

std::vector<std::string> similar(std::string_view name, const std::vector<std::string>& names) {
    constexpr std::size_t most = 3;
    std::size_t least = most;
    for (const std::string& one : names) least = std::min(least, distance(name, one));
    return names | ranges::views::filter([&](const std::string& one) { return distance(name, one) == least; }) |
           ranges::to<std::vector>();
}

const std::vector<listed_schedule>& catalogue() {
    static const std::vector<listed_schedule> all = [] {
        std::vector<listed_schedule> made;
        for (const bool irregular : {false, true})
            for (const algorithm_entry& entry : compiled::whole_registry())
                if (!irregular || has_blocks(entry.info.collective))
                    made.push_back({schedule_name(entry.info, irregular), &entry, irregular});
        return made;
    }();
    return all;
}

const listed_schedule& find_schedule(std::string_view name, std::string_view besides) {
    const auto found = ranges::find(catalogue(), name, &listed_schedule::name);
    if (found == catalogue().end()) throw usage_error("NAME", name, expected_names(name, besides));
    return *found;
}

std::vector<listed_schedule> find_schedules(std::string_view name, bool with_counts) {
    if (name.find('/') != name.npos) return {find_schedule(name)};
    return catalogue() | ranges::views::filter([&](const listed_schedule& one) {
               return name == "all" ? one.irregular == with_counts : name == split_name(one.name).collective;
           }) |
           ranges::to<std::vector>();
}

std::vector<std::string> collectives() {
    std::vector<std::string> names;
    for (const listed_schedule& one : catalogue())
        if (const std::string_view name = split_name(one.name).collective; ranges::find(names, name) == names.end())
            names.emplace_back(name);
    return names;
}

void check_collective(std::string_view name) {
    const std::vector<std::string> known = collectives();
    if (ranges::find(known, name) == known.end())
        throw usage_error("COLLECTIVE", name, fmt::format("{}", fmt::join(known, ", ")));
}
