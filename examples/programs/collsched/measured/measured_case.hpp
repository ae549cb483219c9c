#pragma once

#include <string>

#include "collsched/core/rank.hpp"
#include "collsched/schedule/contract.hpp"

namespace collsched::measured {

/// The conditions of a measured collective on one cluster.
struct measured_case {
    collsched::collective collective = collsched::collective::barrier;  ///< the collective
    rank_t ranks = 1;                                                   ///< number of ranks
    rank_t ranks_per_node = 1;                                          ///< largest number of ranks of a node
    bytes_t bytes = 0;      ///< of the message, or of the blocks of all ranks together
    std::string setting{};  ///< other conditions, such as the MPI; equal texts are equal conditions

    /// Returns whether all members are equal.
    /// @param other  another case
    bool operator==(const measured_case& other) const = default;
};

/// A measured time of an algorithm.
struct measurement {
    measured_case where{};    ///< the conditions
    std::string algorithm{};  ///< name of the algorithm and its implementation, such as "ring_ompi"
    double us = 0;            ///< time in microseconds, more than 0
};

}  // namespace collsched::measured
