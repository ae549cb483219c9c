#pragma once

#include <memory>
#include <optional>

#include "operation.hpp"

namespace collsched::preload {

/// An operation that outlives the call: it has its own execution, memory, and channel.
class lasting_operation : public operation {
  public:
    lasting_operation(communicator_state& on, work&& todo, std::shared_ptr<prepared_plan> plan, std::uint64_t channel);
    ~lasting_operation() override;

    bool startable() override;
    void start() override;

    /// Returns whether it can be destroyed.
    virtual bool reclaimable() const { return false; }

  protected:
    /// Raises an error unless the program has errors returned. Returns the error.
    int raise(int error) const;
    void leave_channel();
    /// Sets the number of the next start on the channel, the same on all ranks.
    void restart(std::uint64_t number) { number_ = number; }

  private:
    std::shared_ptr<communicator_state> held_;
    work todo_;
    std::shared_ptr<prepared_plan> plan_;
    std::uint64_t channel_, number_ = 0;
    call_transport way_;
    execution<call_transport> run_;
    workspace space_;
    bool holds_channel_ = false;
    call_row* row_ = current_row();  ///< of the report, null without one
    double began_ = 0;               ///< time of the start, in seconds
};

/// Starts a non-blocking call: a generalized request that becomes complete at its end. Returns MPI_SUCCESS or an error.
int start_nonblocking(communicator_state& on, work&& todo, std::shared_ptr<prepared_plan> plan, MPI_Request* request);

/// Destroys non-blocking calls that are complete and released.
void reclaim();

/// Makes a persistent call. Its request is that of a receive from this rank itself, and the message is sent at the end
/// of a start. All MPI functions thus see the correct state of the request: inactive, active or complete.
int make_persistent(communicator_state& on, work&& todo, std::shared_ptr<prepared_plan> plan, std::uint64_t channel,
                    MPI_Request* request);
/// Starts a request if it belongs to this library; otherwise returns false.
bool start_if_ours(MPI_Request request, int* error);
/// Releases a request if it belongs to this library; the caller frees the MPI library's part.
void free_if_ours(MPI_Request request);

/// Frees a type, or defers that until the end of the operations that use it.
int free_type(MPI_Datatype* type);
/// Frees an operator, as free_type() a type.
int free_op(MPI_Op* op);

}  // namespace collsched::preload
