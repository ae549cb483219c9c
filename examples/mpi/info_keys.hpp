#pragma once

#include <string>

#include "arguments.hpp"
#include "native_mpi.hpp"

namespace collsched::preload {

class communicator_state;

/// Returns the info key that selects the algorithm of a function on a communicator, such as "collsched_allreduce".
std::string info_key_of(function f);

/// Gives the algorithms in the keys of an info to a communicator. Keys without this library's prefix are ignored. A key
/// of no function, an invalid value, or a value that differs between ranks ends the program with status 2 after one
/// line. Collective over the communicator.
void take_info(communicator_state& on, MPI_Info info);

}  // namespace collsched::preload
