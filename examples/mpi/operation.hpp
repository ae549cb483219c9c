#pragma once

#include <memory>
#include <optional>

#include "combiner.hpp"
#include "communicator_state.hpp"
#include "work.hpp"

namespace collsched::preload {

/// A call in progress. Blocking calls use the memory and the execution of the communicator (blocking_call.hpp); others
/// have their own (requests.hpp).
class operation {
  public:
    /// Refers to both arguments.
    operation(communicator_state& on, const work& todo) : on_(on), todo_(todo) {}
    operation(const operation&) = delete;
    operation& operator=(const operation&) = delete;
    virtual ~operation() = default;

    /// Packs buffers if needed, and starts the plan.
    /// @param over    transport of the execution
    /// @param number  of the start: the same on all ranks, and never used before with its channel
    void begin(const plan& steps, execution<call_transport>& run, call_transport& over, workspace& space,
               std::uint64_t number);
    /// Returns whether the plan is complete; then finish() must be called.
    bool ended() const { return run_->state().state != run_status::phase::running; }
    /// Makes progress on this communicator. Returns false if the operation is not complete.
    bool advance() { return run_->progress().state != run_status::phase::running; }
    /// Unpacks. Returns MPI_SUCCESS, or the MPI error of the operation.
    int finish();

    /// Returns the memory of the plan if it is the program's own; null before begin(), or if it is packed.
    const plan::buffers* unpacked() const { return bound_ ? &buffers_ : nullptr; }
    const reduction& combination() const { return reduction_; }
    /// Begins without an execution. finish_direct() must be called.
    void begin_direct() { combiner_.restart(); }
    /// Returns MPI_SUCCESS, or the MPI error of the operation. @param error  of the transport of its messages, or 0
    int finish_direct(int error) {
        if (error != 0) on_.note_failure();
        return first_of(mpi_error_of(error), on_.blocking_way().take_length_error(), todo_.length_error,
                        combiner_.error());
    }

    /// Must be called after `todo` has changed.
    void forget() { bound_ = false; }

    communicator_state& on() const { return on_; }
    const work& todo() const { return todo_; }

    /// Returns whether an operation that a communicator drives may start: its channel is free.
    virtual bool startable() { return true; }
    virtual void start() {}
    virtual void complete(int) {}
    bool started = false;

  private:
    /// Returns the first that is an error, or MPI_SUCCESS.
    template <class... Errors>
    static int first_of(Errors... errors) {
        int first = MPI_SUCCESS;
        return ((first == MPI_SUCCESS ? void(first = errors) : void()), ...), first;
    }
    plan::buffers bind(const plan& steps, workspace& space);
    bool still_bound(const plan& steps, const workspace& space) const;

    communicator_state& on_;
    const work& todo_;
    combiner combiner_;
    plan::buffers buffers_;
    reduction reduction_;
    bool bound_ = false;  ///< bound to buffers that do not change
    execution<call_transport>* run_ = nullptr;
    call_transport* over_ = nullptr;
    std::byte* packed_output_ = nullptr;  // null: the program's own memory
    int error_ = MPI_SUCCESS;
};

}  // namespace collsched::preload
