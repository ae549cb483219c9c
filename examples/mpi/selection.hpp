#pragma once

#include <string>
#include <string_view>

#include "arguments.hpp"
#include "collsched/group/choice_policy.hpp"
#include "wish.hpp"

namespace collsched::preload {

struct ranks_on_cluster;

/// The function of a call, and the sizes that MPI makes equal on all ranks.
struct call_sizes {
    function what = function::barrier;
    rank_t ranks = 1;
    bytes_t bytes = 0;        ///< packed: of the message; of one block for scatter, gather, allgather, alltoall; of all
                              ///< blocks for allgatherv and reduce_scatter
    bool commutative = true;  ///< the operator, if there is one
    rank_t root = 0;
};

/// The executor of a call: a schedule of this library, each rank by itself, or the MPI library.
struct selection {
    choice::selection chosen{};  ///< no schedule: the MPI library, or (knows_own_counts_alone) each rank directly
    bool native = false;         ///< the MPI library; chosen.reason has the reason
};

/// The values of a communicator that a selection depends on, beside those in the request.
struct selection_input {
    const wishes* by_info = nullptr;            ///< algorithms by info keys; null: none
    const ranks_on_cluster* cluster = nullptr;  ///< of COLLSCHED_CLUSTER; null: none
};

/// Selects a schedule: by an info key, a variable, the table, the model of the cluster, or the built-in rules.
selection select_schedule(function what, const choice::request& request, const selection_input& from);

/// Reads the variables COLLSCHED_<FUNCTION>, COLLSCHED_RANKS_PER_NODE and COLLSCHED_SHARED_MEMORY. For an invalid value prints the accepted
/// values on stderr and exits with status 2.
void read_variables();

/// Returns the variables COLLSCHED_... that are set, as NAME=VALUE with blanks between them.
std::string variables_in_effect();

/// Returns the value of COLLSCHED_RANKS_PER_NODE; 0: not set.
int ranks_per_node();

/// Returns the value of COLLSCHED_INIT_SECONDS, the time that ranks have for their messages at MPI_Init.
int init_seconds();

/// Returns whether a variable COLLSCHED_... may have different values on ranks, as it changes no message of a call, or
/// as only that of rank 0 counts.
bool may_differ(std::string_view variable);

/// The use of shared memory: none, by rings alone, or with single copy of long messages.
enum class shared_memory_use : std::uint8_t { none, rings, single_copy };
/// Returns the use that COLLSCHED_SHARED_MEMORY allows: none for 0, rings for rings, single copy for 1 or if it is not set.
shared_memory_use wanted_shared_memory();

/// Returns whether COLLSCHED_VERBOSE is set to a value other than 0.
bool verbose();

}  // namespace collsched::preload
