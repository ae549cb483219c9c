#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "arguments.hpp"
#include "collsched/collective/algorithm_list.hpp"
#include "wish.hpp"

namespace collsched::preload {

struct ranks_on_cluster;

/// The input of the selection: only values that MPI makes equal on all ranks.
struct decision {
    function what = function::barrier;
    rank_t ranks = 1;
    bytes_t bytes = 0;        ///< packed: of the message; of one block for scatter, gather, allgather, alltoall; of all
                              ///< blocks for allgatherv and reduce_scatter
    bool commutative = true;  ///< the operator, if there is one
    rank_t root = 0;
};

/// An algorithm with its parameters, or the MPI library's own.
struct choice {
    const algorithm_entry* algorithm = nullptr;  ///< null: the MPI library's own, or (knows_own_counts_alone) directly
    shape parameters{};                          ///< only the free_parameters, and the placement if it takes one
    bool native = false;
    std::string why;
};

/// The values of a communicator that a selection depends on.
struct selection_input {
    const topology::placement& where;  ///< node of every rank, for two-level algorithms and tables; empty: unknown
    const wishes* by_info = nullptr;   ///< algorithms by info keys; null: none
    const ranks_on_cluster* cluster = nullptr;  ///< of COLLSCHED_CLUSTER; null: none
    /// Returns the reason why a choice does not support the call; empty: it does.
    std::function<std::string(const choice&)> against{};
};

/// Sets the placement and the cluster of a choice whose algorithm takes them.
void place(choice& made, const selection_input& from);

/// Selects an algorithm: by an info key, a variable, the table, the model of the cluster, or the built-in rules.
choice choose(const decision& how, const selection_input& from);

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
