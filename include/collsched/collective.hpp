#pragma once

#include "collsched/collective/allgather/bruck.hpp"
#include "collsched/collective/allgather/neighbor_exchange.hpp"
#include "collsched/collective/allgather/recursive_doubling.hpp"
#include "collsched/collective/allgather/ring.hpp"
#include "collsched/schedule/algorithm_list.hpp"

namespace collsched {

/// Every algorithm of the library: what the command line lists, and what tests, benchmarks and pictures go through.
using registry = algorithm_list<    //
    allgather::bruck,               //
    allgather::neighbor_exchange,   //
    allgather::recursive_doubling,  //
    allgather::ring>;

}  // namespace collsched
