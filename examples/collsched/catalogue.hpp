#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collsched/collective/algorithm_list.hpp"

/// A name that `collsched list` shows: an algorithm, with blocks of any counts or, in the plain name, of one
/// size.
struct listed_schedule {
    std::string name;
    const collsched::algorithm_entry* entry;
    bool irregular;
};

/// Everything there is, in the order in which it is listed.
const std::vector<listed_schedule>& catalogue();

/// The schedule of this name. An unknown name is a mistake; names like it are told, and `besides` them.
const listed_schedule& find_schedule(std::string_view name, std::string_view besides = "");

/// One schedule; for "all" every one that takes a shape with counts, or without; for a collective all of its schedules.
std::vector<listed_schedule> find_schedules(std::string_view name, bool with_counts);

/// What is no collective is a mistake.
void check_collective(std::string_view name);
