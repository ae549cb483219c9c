#pragma once

#include <optional>
#include <string_view>

#include "collsched/topology/placement.hpp"

/// The placement that --placement names for so many ranks: "block" or "cyclic" with `group` ranks on a node, or a name of a
/// node for each rank, "A,B,B,A". Throws usage_error.
collsched::topology::placement free_placement(std::string_view text, collsched::rank_t ranks,
                                              std::optional<collsched::rank_t> group);

/// The number of names of --placement; 0 of what is no list.
collsched::rank_t placed_ranks(std::string_view text);
