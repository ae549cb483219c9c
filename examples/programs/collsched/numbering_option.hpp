#pragma once

#include <optional>
#include <string>

#include "collsched/collective/algorithm_list.hpp"
#include "collsched/core/permutation.hpp"
#include "collsched/schedule/any_schedule.hpp"
#include "given_network.hpp"

/// The value of --numbering.
struct given_numbering {
    std::string text;              ///< as given
    collsched::permutation order;  ///< the rank that rank v of the algorithm is
};

/// The value of --numbering that is found for a network.
inline constexpr const char* cycle_numbering = "cycle";

/// Reads "cycle", or a rank per rank of the algorithm. Throws usage_error, also if no cycle is found.
given_numbering read_numbering(const std::string& text, collsched::rank_t ranks,
                               const std::optional<given_network>& network);

/// Returns whether ranks of the algorithm can be numbered anew: it treats ranks alike and has no plan for them.
bool takes_numbering(const collsched::algorithm_entry& entry);

/// Returns whether each message of a schedule goes to the next rank or to the one before, modulo the number of ranks. A
/// schedule without messages does not count.
bool is_along_ranks(const collsched::any_schedule& s);
