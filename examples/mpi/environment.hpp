#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>

#include "arguments.hpp"
#include "collsched/core/byte_range.hpp"

namespace collsched::preload {

class communicator_state;

/// The state that all communicators of the program share.
struct environment {
    bool threaded = false;            ///< MPI_THREAD_MULTIPLE on this rank
    bool any_threaded = false;        ///< on any rank; decisions that must agree on all ranks depend on this
    int keyval = MPI_KEYVAL_INVALID;  ///< of the attribute that holds a communicator's state
    MPI_Comm self = MPI_COMM_NULL;    ///< one rank, for messages to itself
    MPI_Comm probed = MPI_COMM_NULL;  ///< of the ranks on this node: probes make progress in the MPI
    std::recursive_mutex lock;        ///< protects all state of this library, if threaded
    std::atomic<int> in_flight = 0;   ///< incomplete operations other than blocking ones
    std::atomic<int> to_reclaim = 0;  ///< complete operations that the program has released

    bool has_work() const {
        return in_flight.load(std::memory_order_acquire) != 0 || to_reclaim.load(std::memory_order_acquire) != 0;
    }
};

namespace internal {
/// Null until it is made. It is never destroyed, see never_destroyed.hpp.
inline constinit std::atomic<environment*> made_environment = nullptr;
environment& make_environment();
}  // namespace internal

/// Returns the environment, made at the first call between the program's MPI_Init and MPI_Finalize; local. Outside of
/// that interval, and in programs that use only sessions, it has its default values.
inline environment& the_environment() {
    environment* const made = internal::made_environment.load(std::memory_order_acquire);
    return made != nullptr ? *made : internal::make_environment();
}

/// Returns whether the program is between its MPI_Init and MPI_Finalize.
bool mpi_is_up();
/// Records a call of MPI_Init, so that no query is needed, or of MPI_Finalize, which may call functions of the program
/// that use MPI's own functions.
void note_mpi_is_up(bool is);

/// Counts a call that this library executes.
void count_ours(function what);
/// Counts a call that is passed to the MPI library.
void count_native(function what);
/// Prints the destination of a call once if COLLSCHED_VERBOSE is set. Only `rank` 0 prints. `bytes` -1: unknown.
void report(function what, int rank, int ranks, bytes_t bytes, const std::string& how);

/// Holds the lock if threads require it. It is recursive, since MPI may call back while it is held.
class guard {
  public:
    guard() : held_(the_environment().threaded) {
        if (held_) the_environment().lock.lock();
    }
    guard(const guard&) = delete;
    guard& operator=(const guard&) = delete;
    ~guard() { end(); }
    /// Releases the lock before the end of the scope.
    void end() {
        if (held_) the_environment().lock.unlock();
        held_ = false;
    }
    /// Releases the lock temporarily for other threads.
    void pause() {
        if (!held_) return;
        the_environment().lock.unlock();
        the_environment().lock.lock();
    }

  private:
    bool held_;
};

}  // namespace collsched::preload
