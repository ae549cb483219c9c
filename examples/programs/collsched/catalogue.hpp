#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collsched/collective/algorithm_list.hpp"

/// An entry of `collsched list`: an algorithm with blocks of any counts or, under the plain name, of one size.
struct listed_schedule {
    std::string name;
    const collsched::algorithm_entry* entry;
    bool irregular;
};

/// Returns the names that differ from `name` by the fewest letters; none if all differ by more than 3.
std::vector<std::string> similar(std::string_view name, const std::vector<std::string>& names);

/// Returns all schedules, in the order of `collsched list`.
const std::vector<listed_schedule>& catalogue();

/// Returns the schedule of this name, whose collective may have its name of MPI. Throws usage_error for an unknown name;
/// the message lists similar names, then `besides`.
const listed_schedule& find_schedule(std::string_view name, std::string_view besides = "");

/// Returns one schedule; for "all", every schedule that takes a shape with or without counts; for a collective, all of
/// its schedules.
std::vector<listed_schedule> find_schedules(std::string_view name, bool with_counts);

/// Returns whether an algorithm is planned for a network: over a forest, or by transfers.
inline bool takes_network(const collsched::algorithm_entry& entry) {
    return entry.takes(&collsched::shape::forest) || entry.takes(&collsched::shape::transfers);
}

/// Returns the names of all collectives, in the order of `collsched list`.
std::vector<std::string> collectives();

/// Returns the names of all collectives in MPI, "MPI_Bcast".
std::vector<std::string> mpi_collectives();

/// Returns the collective of a name, or of its name in MPI: "bcast", "reduce_scatter_block", and "MPI_Bcast" in upper or
/// lower case. Throws usage_error for other names.
std::string find_collective(std::string_view name);
