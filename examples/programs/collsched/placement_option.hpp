#pragma once

#include <optional>
#include <string_view>

#include "collsched/format/clusters/read_hosts.hpp"
#include "collsched/topology/placement.hpp"

/// Returns the placement of --placement for this number of ranks: "block" or "cyclic" with `group` ranks per node, or
/// one node name per rank, "A,B,B,A". Throws usage_error.
collsched::topology::placement free_placement(std::string_view text, collsched::rank_t ranks,
                                              std::optional<collsched::rank_t> group);

/// Returns the placement of --hosts for this number of ranks, without a cluster. Throws usage_error.
collsched::topology::placement hosted_placement(const collsched::cluster::rank_hosts& hosts, collsched::rank_t ranks);

/// Returns the number of names of --placement; 0 if it is not a list.
collsched::rank_t placed_ranks(std::string_view text);
