#pragma once

#include <memory>
#include <optional>

#include "combiner.hpp"
#include "communicator.hpp"
#include "work.hpp"

namespace collsched::preload {

/// A call under way. Blocking calls use the memory and the execution that the communicator keeps (blocking_call.hpp);
/// others have their own (requests.hpp).
class operation {
  public:
    /// Refers to both.
    operation(communicator& on, const work& todo) : on_(on), todo_(todo) {}
    operation(const operation&) = delete;
    operation& operator=(const operation&) = delete;
    virtual ~operation() = default;

    /// Packs what must be packed, and starts the plan.
    void begin(const plan& steps, execution<mpi_transport>& run, workspace& space);
    /// Whether the plan has come to its end; then finish() is due.
    bool ended() const { return run_->state().state != run_state::running; }
    /// Does what can be done on this communicator; when false, it is not yet at its end.
    bool advance() { return run_->progress().state != run_state::running; }
    /// Unpacks. MPI_SUCCESS, or the error of MPI's that stopped it.
    int finish();

    /// To be called when `todo` has become another.
    void forget() { bound_ = false; }

    communicator& on() const { return on_; }
    const work& todo() const { return todo_; }

    /// Of operations that a communicator drives: may it start (its channel is free), and what happens at its end.
    virtual bool startable() { return true; }
    virtual void start() {}
    virtual void complete(int) {}
    bool started = false;

  private:
    bound_buffers bind(const plan& steps, workspace& space);
    bool still_bound(const plan& steps, const workspace& space) const;

    communicator& on_;
    const work& todo_;
    combiner combiner_;
    bound_buffers buffers_;
    reduction reduction_;
    bool bound_ = false;  ///< to these, which stay as they are
    execution<mpi_transport>* run_ = nullptr;
    std::byte* packed_output_ = nullptr;  // null: the program's own memory
    int error_ = MPI_SUCCESS;
};

}  // namespace collsched::preload
