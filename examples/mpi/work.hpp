#pragma once

#include <vector>

#include "arguments.hpp"
#include "communicator_state.hpp"
#include "side.hpp"

namespace collsched::preload {

/// The relation of the plan's buffers in memory.
enum class placement_of_buffers : std::uint8_t { separate, input_in_output, output_in_input };

/// A rank's block for itself whose two lengths differ. It is copied before the operation, which is in place then.
struct own_copy {
    side from, into;

    bool exists() const { return into.bytes() > 0 || from.bytes() > 0; }
    /// Copies as many whole elements as both sides have. Returns an MPI error, or MPI_SUCCESS.
    int run() const;
};

/// The input of the executor for a call on this rank.
struct work {
    plan_key key;
    std::vector<std::int64_t> numbers;  ///< see prepared_plan
    side input, output;
    placement_of_buffers place = placement_of_buffers::separate;
    bytes_t offset = 0;      ///< of the inner buffer in the outer one
    bool gives_back = true;  ///< the packed output is copied back to the program
    MPI_Op op = MPI_OP_NULL;
    datatype element;  ///< of reductions
    own_copy own;
    message_lengths lengths = message_lengths::passed_on;
    int length_error = MPI_SUCCESS;  ///< of the rank's block for itself
};

/// Returns whether the arguments allow execution. Other calls go to the MPI library's function, which raises its own
/// error.
bool acceptable(const arguments& call, int rank, int ranks);

/// Returns whether equal arguments with equal contents of arrays always mean the same call: no types or operators of
/// the program, which it may free and remake.
bool says_all(const arguments& call, int rank, int ranks);
/// Copies the entries of all arrays that are significant on this rank.
void copy_arrays(const arguments& call, int rank, int ranks, std::vector<std::int64_t>& entries);
/// Returns whether the entries of the arrays are those of an earlier call with equal arguments.
bool has_arrays(const arguments& call, int rank, int ranks, const std::vector<std::int64_t>& entries);

/// Fills in an empty work.
/// @pre the arguments are acceptable
void describe(const arguments& call, int rank, int ranks, work& todo);

/// Returns whether no bytes move on any rank; all ranks have the same result.
inline bool moves_nothing(const work& w) {
    return w.key.how.what != function::barrier && !knows_own_counts_alone(w.key.how.what) && w.key.how.bytes == 0;
}

}  // namespace collsched::preload
