#pragma once

#include <string>

#include "arguments.hpp"
#include "collsched/collective/algorithm_list.hpp"
#include "collsched/select/parameter_values.hpp"

namespace collsched::preload {

/// What may decide which algorithm runs: what MPI makes equal on all ranks, and nothing else.
struct decision {
    function what = function::barrier;
    rank_t ranks = 1;
    bytes_t bytes = 0;        ///< packed: of the message; of one block for scatter, gather, allgather, alltoall; of all
                              ///< blocks for allgatherv and reduce_scatter
    bool commutative = true;  ///< the operator, if there is one
    rank_t root = 0;
};

/// An algorithm with its parameters, or the MPI's own.
struct choice {
    const algorithm_entry* algorithm = nullptr;  ///< null: the MPI's own, or (knows_own_counts_alone) directly
    shape parameters{};                          ///< of these the free_parameters, and the placement if it takes one
    bool native = false;
    std::string why;
};

/// `where` the ranks live is told to algorithms of two levels.
choice choose(const decision& how, const topology::placement& where);

/// Reads the variables COLLSCHED_<FUNCTION> and COLLSCHED_RANKS_PER_NODE. A value that means nothing is told on stderr, with
/// what is accepted, and ends the program with status 2.
void read_variables();

/// What COLLSCHED_RANKS_PER_NODE says; 0: nothing.
int ranks_per_node();

/// Whether a variable chooses an algorithm of two levels.
bool wants_placement();

/// Whether COLLSCHED_VERBOSE is set to something but 0.
bool verbose();

}  // namespace collsched::preload
