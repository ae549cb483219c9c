#pragma once

#include "environment.hpp"
#include "node.hpp"

namespace collsched::preload {

/// Makes progress() drive the operations of a communicator, as long as there are any.
void watch(communicator_state& one);

/// Makes progress on all operations in flight.
void progress_all();
/// Makes progress if operations are in flight.
inline void progress() {
    if (the_environment().has_work()) progress_all();
}

/// The pause between two polls of a call that a rank waits for: it drives operations in flight, lets other threads
/// run, and backs off.
class wait_step {
  public:
    explicit wait_step(guard& hold) : hold_(hold) {}
    void operator()() {
        progress();
        hold_.pause();
        left_.lose();
    }

  private:
    guard& hold_;
    patience left_;
};

/// Calls test(&flag), one of MPI's test functions, until it sets the flag, and drives operations in flight meanwhile.
/// Returns the result of test.
template <class Test>
int drive(Test test) {
    patience left;
    while (true) {
        progress();
        int flag = 0;
        const int error = test(&flag);
        if (flag != 0 || error != MPI_SUCCESS) return error;
        left.lose();
    }
}

/// Begins an operation, and drives operations in flight until it is complete.
template <class Begin>
int complete(Begin begin, MPI_Status* status = MPI_STATUS_IGNORE) {
    MPI_Request request = MPI_REQUEST_NULL;
    const int error = begin(&request);
    if (error != MPI_SUCCESS) return error;
    return drive([&](int* flag) { return PMPI_Test(&request, flag, status); });
}

/// Calls the MPI library's function if it may block, or else its non-blocking form, driven until it is complete.
template <auto Native, auto Begin, class... Arguments>
int native_or_driven(bool may_block, Arguments... arguments) {
    if (may_block) return Native(arguments...);
    return complete([&](MPI_Request* request) { return Begin(arguments..., request); });
}

/// Begins a send and a receive, and drives operations in flight until both are complete. The status is that of the
/// receive.
template <class Send, class Receive>
int complete_both(Send send, Receive receive, MPI_Status* status) {
    MPI_Request sent = MPI_REQUEST_NULL, received = MPI_REQUEST_NULL;
    int error = receive(&received);  // first, since it can be cancelled
    if (error != MPI_SUCCESS) return error;
    error = send(&sent);
    if (error != MPI_SUCCESS) {
        PMPI_Cancel(&received);
        PMPI_Wait(&received, MPI_STATUS_IGNORE);
        return error;
    }
    error = drive([&](int* flag) { return PMPI_Test(&sent, flag, MPI_STATUS_IGNORE); });
    const int receive_error = drive([&](int* flag) { return PMPI_Test(&received, flag, status); });
    return error != MPI_SUCCESS ? error : receive_error;
}

/// Returns whether wait functions may call the MPI library directly. A thread that waits in MPI cannot drive an
/// operation that another thread starts.
inline bool nothing_in_flight() {
    environment& all = the_environment();
    return all.in_flight.load(std::memory_order_acquire) == 0 && !all.threaded;
}

}  // namespace collsched::preload
