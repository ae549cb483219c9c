#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "collsched/execute/engine.hpp"
#include "environment.hpp"
#include "node.hpp"

namespace collsched::preload {

/// A collective of this library's own that the ranks of a communicator repeat, on a channel of its own.
class repeated_exchange {
  public:
    /// The communicator that the transport belongs to outlives it.
    repeated_exchange(plan steps, const call_transport& over, std::uint64_t channel);
    repeated_exchange(const repeated_exchange&) = delete;
    repeated_exchange& operator=(const repeated_exchange&) = delete;

    /// Runs it once, and drives operations in flight meanwhile. Returns MPI_SUCCESS, or an error of the MPI.
    int run(plan::buffers buffers, const reduction& op, guard& hold);
    /// Returns how often it was run.
    std::uint64_t count() const { return count_; }

  private:
    plan steps_;
    call_transport over_;
    std::vector<std::byte> scratch_, staging_;
    execution<call_transport> run_;
    std::uint64_t count_ = 0;
};

}  // namespace collsched::preload
