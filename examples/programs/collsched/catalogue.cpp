#include "catalogue.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <range/v3/algorithm/find.hpp>
#include <range/v3/range/conversion.hpp>
#include <range/v3/view/filter.hpp>

#include "algorithms/algorithms.hpp"
#include "collsched/format.hpp"
#include "names/edit_distance.hpp"
#include "usage_error.hpp"

using namespace collsched;

namespace {

/// The collectives whose names in MPI differ.
constexpr std::pair<std::string_view, std::string_view> mpi_names[] = {{"bcast", "broadcast"},
                                                                       {"reduce_scatter_block", "reduce_scatter"}};

/// Returns the name of a collective or schedule with the library's name of the collective in place of MPI's.
std::string without_mpi_name(std::string_view name) {
    constexpr std::string_view prefix = "mpi_";
    const std::size_t end = std::min(name.find('/'), name.size());
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    std::string what(name.substr(0, end));
    std::string small = what;
    std::ranges::transform(small, small.begin(), lower);
    if (small.starts_with(prefix)) what = small.substr(prefix.size());
    for (const auto& [mpi, here] : mpi_names)
        if (what == mpi) what = here;
    return what.append(name.substr(end));
}

/// Returns the names that are most similar. Without a collective before it, a name is compared with those of algorithms.
std::vector<std::string> near_names(std::string_view name) {
    std::vector<std::string> names, regular, algorithms;
    for (const listed_schedule& listed : catalogue()) {
        names.push_back(listed.name);
        if (listed.irregular) continue;
        regular.push_back(listed.name);
        algorithms.emplace_back(split_name(listed.name).algorithm);
    }
    const std::vector<std::string> near =
        name.find('/') == name.npos ? similar(name, algorithms) : std::vector<std::string>();
    if (near.empty()) return similar(name, names);
    return regular | ranges::views::filter([&](const std::string& listed) {
               return ranges::find(near, split_name(listed).algorithm) != near.end();
           }) |
           ranges::to<std::vector>();
}

std::string expected_names(std::string_view name, std::string_view besides) {
    const std::vector<std::string> near = near_names(name);
    const std::string all = fmt::format("a name of 'collsched list'{}", besides);
    return near.empty() ? all : fmt::format("{}, or {}", fmt::join(near, ", "), all);
}

}  // namespace

std::vector<std::string> similar(std::string_view name, const std::vector<std::string>& names) {
    constexpr std::size_t most = 3;
    std::size_t least = most;
    for (const std::string& one : names) least = std::min(least, edit_distance(name, one));
    return names | ranges::views::filter([&](const std::string& one) { return edit_distance(name, one) == least; }) |
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
    const auto found = ranges::find(catalogue(), without_mpi_name(name), &listed_schedule::name);
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

std::vector<std::string> mpi_collectives() {
    std::vector<std::string> names;
    for (std::string name : collectives()) {
        if (name == "reduce_scatterv") name = "reduce_scatter";
        else
            for (const auto& [mpi, here] : mpi_names)
                if (name == here) name = mpi;
        if (name.front() >= 'a' && name.front() <= 'z') name.front() = static_cast<char>(name.front() - 'a' + 'A');
        names.push_back("MPI_" + name);
    }
    return names;
}

std::string find_collective(std::string_view name) {
    const std::vector<std::string> known = collectives();
    std::string found = without_mpi_name(name);
    if (ranges::find(known, found) == known.end())
        throw usage_error("COLLECTIVE", name, fmt::format("{}", fmt::join(known, ", ")));
    return found;
}
