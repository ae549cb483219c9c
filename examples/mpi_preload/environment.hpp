#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>

#include "arguments.hpp"
#include "collsched/core/byte_range.hpp"

namespace collsched::preload {

class communicator;

/// What is common to all communicators of the program.
struct environment {
    bool threaded = false;            ///< MPI_THREAD_MULTIPLE, of this rank
    bool any_threaded = false;        ///< of any rank: what all ranks of a communicator decide alike depends on this
    int keyval = MPI_KEYVAL_INVALID;  ///< of the attribute that a communicator is
    MPI_Comm self = MPI_COMM_NULL;    ///< one rank, for messages to itself
    std::recursive_mutex lock;        ///< of everything in this library, if threaded
    std::atomic<int> in_flight = 0;   ///< operations that wait for their end beside blocking ones
    std::atomic<int> to_reclaim = 0;  ///< operations that have ended, of which the program has let go

    bool has_work() const {
        return in_flight.load(std::memory_order_acquire) != 0 || to_reclaim.load(std::memory_order_acquire) != 0;
    }
};

namespace detail {
inline environment shared_environment;
inline std::atomic<bool> environment_is_made = false;
void make_environment();
}  // namespace detail

/// Made at the first call between the program's MPI_Init and MPI_Finalize; local. Before, and in programs with sessions
/// alone, as it is by default.
inline environment& the_environment() {
    if (!detail::environment_is_made.load(std::memory_order_acquire)) detail::make_environment();
    return detail::shared_environment;
}

/// Between the program's MPI_Init and MPI_Finalize.
bool mpi_is_up();
/// To be told by MPI_Init, so that it need not be asked, and by MPI_Finalize, in which the program may still be called
/// back: that is done by MPI's own functions.
void note_mpi_is_up(bool is);

/// Counts, and with COLLSCHED_VERBOSE tells once, where a call goes. `rank` 0 speaks. `bytes` -1: unknown.
void count_ours(function what);
void count_native(function what);
void tell(function what, int rank, int ranks, bytes_t bytes, const std::string& how);

/// Holds the lock, if threads make it necessary. (From outside the lock MPI may call back: so it may be taken again.)
class guard {
  public:
    guard() : held_(the_environment().threaded) {
        if (held_) the_environment().lock.lock();
    }
    guard(const guard&) = delete;
    guard& operator=(const guard&) = delete;
    ~guard() {
        if (held_) the_environment().lock.unlock();
    }
    /// Lets others in.
    void pause() {
        if (!held_) return;
        the_environment().lock.unlock();
        the_environment().lock.lock();
    }

  private:
    bool held_;
};

}  // namespace collsched::preload
