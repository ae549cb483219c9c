#pragma once

#include <memory>
#include <optional>

#include "operation.hpp"

namespace collsched::preload {

/// An operation that outlives the call: it has an execution, memory, and a channel of its own.
class lasting_operation : public operation {
  public:
    lasting_operation(communicator& on, work&& todo, std::shared_ptr<prepared_plan> plan, std::uint64_t channel);
    ~lasting_operation() override;

    bool startable() override;
    void start() override;

    /// Whether nobody needs it any more.
    virtual bool reclaimable() const { return false; }

  protected:
    /// Raises an error where the program wants it to be raised.
    int raise(int error) const;
    void leave_channel();

  private:
    std::shared_ptr<communicator> held_;
    work todo_;
    std::shared_ptr<prepared_plan> plan_;
    std::uint64_t channel_;
    execution<mpi_transport> run_;
    workspace space_;
    bool holds_channel_ = false;
};

/// A non-blocking call: a generalized request that becomes complete at its end. Gives MPI_SUCCESS or an error.
int start_nonblocking(communicator& on, work&& todo, std::shared_ptr<prepared_plan> plan, MPI_Request* request);

/// Ends the lives of non-blocking calls that are complete and let go.
void reclaim();

/// A persistent call. Its request is that of a receive from this rank itself, and the message is sent at the end of a
/// start: so every function of MPI sees the request inactive, active and complete when it is.
int make_persistent(communicator& on, work&& todo, std::shared_ptr<prepared_plan> plan, std::uint64_t channel,
                    MPI_Request* request);
/// Starts a request if it is one of ours; false: it is not.
bool start_if_ours(MPI_Request request, int* error);
/// Gives up a request if it is one of ours; the MPI's own part is the caller's.
void free_if_ours(MPI_Request request);

/// Frees a type or an operator, or, while an operation needs it, at the end of that.
int free_type(MPI_Datatype* type);
int free_op(MPI_Op* op);

}  // namespace collsched::preload
