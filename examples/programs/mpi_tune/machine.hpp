#pragma once

#include "collsched/execute/mpi.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "collsched/topology/placement.hpp"

#include "watchdog.hpp"

/// The ranks of MPI_COMM_WORLD, their nodes, and a communicator for each requested number of first ranks.
class machine {
  public:
    /// Collective over all ranks.
    explicit machine(watchdog& watch);
    machine(const machine&) = delete;
    machine& operator=(const machine&) = delete;
    ~machine();

    int rank() const { return rank_; }
    int size() const { return size_; }
    watchdog& watch() const { return watch_; }

    /// Makes the communicators of the first ranks[i] ranks. Collective over all ranks.
    void divide(std::span<const std::int64_t> ranks);
    /// Returns the communicator of the first `ranks` ranks; MPI_COMM_NULL if this rank is not one of them, or if
    /// divide() had no such number.
    MPI_Comm first(std::int64_t ranks) const;
    /// Returns the nodes of the first ranks.
    collsched::topology::placement place(collsched::rank_t ranks) const;

    /// Sends numbers from rank 0 to all ranks, which receive as many. Waiting ranks sleep, so that they leave their
    /// processors to the ranks that are measured.
    void broadcast(std::span<std::int64_t> numbers) const;
    /// Prints one line and ends all ranks with a status.
    [[noreturn]] static void abort(const std::string& line, int status = 1);

  private:
    watchdog& watch_;
    int rank_ = 0, size_ = 1;
    std::vector<collsched::rank_t> nodes_;  ///< of each rank, numbered in the order of their first ranks
    std::vector<std::pair<std::int64_t, MPI_Comm>> communicators_;
};
