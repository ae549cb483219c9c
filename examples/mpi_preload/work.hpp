#pragma once

#include <vector>

#include "arguments.hpp"
#include "communicator.hpp"
#include "side.hpp"

namespace collsched::preload {

/// Where the buffers of the plan lie.
enum class placement_of_buffers : std::uint8_t { separate, input_in_output, output_in_input };

/// A call, as the executor sees it on this rank.
struct work {
    prepared_plan::key key;
    std::vector<std::int64_t> numbers;  ///< see prepared_plan
    side input, output;
    placement_of_buffers place = placement_of_buffers::separate;
    bytes_t offset = 0;      ///< of the buffer that lies in the other
    bool gives_back = true;  ///< what the plan put into a packed output belongs to the program
    MPI_Op op = MPI_OP_NULL;
    datatype element;  ///< of reductions
};

/// Whether the arguments are such that the call can be carried out. Those that are not go to the MPI's own function,
/// which raises the error that it finds.
bool acceptable(const arguments& call, int rank, int ranks);

/// Whether equal arguments always mean the same call: no arrays, which the program may write, and no types or operators
/// of the program, which it may free and make anew.
bool says_all(const arguments& call);

/// Fills in an empty one. Only for acceptable arguments.
void describe(const arguments& call, int rank, int ranks, work& todo);

/// Nothing moves, on any rank, and all ranks know.
inline bool moves_nothing(const work& w) {
    return w.key.how.what != function::barrier && !knows_own_counts_alone(w.key.how.what) && w.key.how.bytes == 0;
}

}  // namespace collsched::preload
