#pragma once

#include <sched.h>

#include "environment.hpp"

namespace collsched::preload {

/// Has progress() drive the operations of a communicator, for as long as there are any.
void watch(communicator& one);

/// Does for all operations in flight what can be done.
void progress_all();
inline void progress() {
    if (the_environment().has_work()) progress_all();
}

/// What a loop does that found nothing to do: first nothing, then it gives way to other processes of this core.
class patience {
  public:
    void lose() {
        if (lost_ < 200) ++lost_;
        else sched_yield();
    }

  private:
    int lost_ = 0;
};

/// Calls test(&flag), one of MPI's own test functions, until it sets the flag, and drives what is in flight meanwhile.
/// What test returns.
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

/// Begins something, and drives what is in flight until it is complete.
template <class Begin>
int complete(Begin begin, MPI_Status* status = MPI_STATUS_IGNORE) {
    MPI_Request request = MPI_REQUEST_NULL;
    const int error = begin(&request);
    if (error != MPI_SUCCESS) return error;
    return drive([&](int* flag) { return PMPI_Test(&request, flag, status); });
}

/// The MPI's own function where it may block, or else its non-blocking form, driven to its end.
template <auto Native, auto Begin, class... Arguments>
int native_or_driven(bool may_block, Arguments... arguments) {
    if (may_block) return Native(arguments...);
    return complete([&](MPI_Request* request) { return Begin(arguments..., request); });
}

/// Begins a message to another rank and one from another, and drives what is in flight until both are complete. The
/// status is that of the latter.
template <class Send, class Receive>
int complete_both(Send send, Receive receive, MPI_Status* status) {
    MPI_Request sent = MPI_REQUEST_NULL, received = MPI_REQUEST_NULL;
    int error = receive(&received);  // first: it can be taken back
    if (error != MPI_SUCCESS) return error;
    error = send(&sent);
    if (error != MPI_SUCCESS) {
        PMPI_Cancel(&received);
        PMPI_Wait(&received, MPI_STATUS_IGNORE);
        return error;
    }
    error = drive([&](int* flag) { return PMPI_Test(&sent, flag, MPI_STATUS_IGNORE); });
    const int heard = drive([&](int* flag) { return PMPI_Test(&received, flag, status); });
    return error != MPI_SUCCESS ? error : heard;
}

/// Whether the wait functions may leave all to MPI's own. A thread that waits in MPI cannot drive what another starts.
inline bool nothing_in_flight() {
    environment& all = the_environment();
    return all.in_flight.load(std::memory_order_acquire) == 0 && !all.threaded;
}

}  // namespace collsched::preload
