#include "native_mpi.hpp"
#include "progress.hpp"
#include "requests.hpp"

using namespace collsched::preload;

// The functions that wait for or test requests drive operations in flight, and call the MPI library's non-blocking
// form.

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
    if (nothing_in_flight()) return PMPI_Wait(request, status);
    return drive([&](int* flag) { return PMPI_Test(request, flag, status); });
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status* statuses) {
#ifdef MPICH
    // MPICH 4.0.2's MPI_Testall returns an error while a persistent collective is in flight.
    for (int i = 0; i < count && requests != nullptr && !nothing_in_flight(); ++i)
        drive([&](int* flag) {
            if (PMPI_Request_get_status(requests[i], flag, MPI_STATUS_IGNORE) != MPI_SUCCESS) *flag = 1;
            return MPI_SUCCESS;
        });
    return PMPI_Waitall(count, requests, statuses);
#else
    if (nothing_in_flight()) return PMPI_Waitall(count, requests, statuses);
    return drive([&](int* flag) { return PMPI_Testall(count, requests, flag, statuses); });
#endif
}

int MPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) {
    if (nothing_in_flight()) return PMPI_Waitany(count, requests, index, status);
    return drive([&](int* flag) { return PMPI_Testany(count, requests, index, flag, status); });
}

int MPI_Waitsome(int count, MPI_Request requests[], int* done, int indices[], MPI_Status* statuses) {
    if (nothing_in_flight()) return PMPI_Waitsome(count, requests, done, indices, statuses);
    return drive([&](int* flag) {
        const int error = PMPI_Testsome(count, requests, done, indices, statuses);
        *flag = *done != 0 ? 1 : 0;  // MPI_UNDEFINED: there is no active request
        return error;
    });
}

int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
    progress();
    return PMPI_Test(request, flag, status);
}

int MPI_Testall(int count, MPI_Request requests[], int* flag, MPI_Status* statuses) {
    progress();
    return PMPI_Testall(count, requests, flag, statuses);
}

int MPI_Testany(int count, MPI_Request requests[], int* index, int* flag, MPI_Status* status) {
    progress();
    return PMPI_Testany(count, requests, index, flag, status);
}

int MPI_Testsome(int count, MPI_Request requests[], int* done, int indices[], MPI_Status* statuses) {
    progress();
    return PMPI_Testsome(count, requests, done, indices, statuses);
}

int MPI_Request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
    progress();
    return PMPI_Request_get_status(request, flag, status);
}

#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)

int MPI_Request_get_status_all(int count, const MPI_Request requests[], int* flag, MPI_Status* statuses) {
    progress();
    return PMPI_Request_get_status_all(count, requests, flag, statuses);
}

int MPI_Request_get_status_any(int count, const MPI_Request requests[], int* index, int* flag, MPI_Status* status) {
    progress();
    return PMPI_Request_get_status_any(count, requests, index, flag, status);
}

int MPI_Request_get_status_some(int count, const MPI_Request requests[], int* done, int indices[],
                                MPI_Status* statuses) {
    progress();
    return PMPI_Request_get_status_some(count, requests, done, indices, statuses);
}

COLLSCHED_ALSO_PMPI(MPI_Request_get_status_, , all, any, some);

#endif

#if MPI_VERSION >= 4

int MPI_Parrived(MPI_Request request, int partition, int* flag) {
    progress();
    return PMPI_Parrived(request, partition, flag);
}

COLLSCHED_ALSO_PMPI(MPI_, , Parrived);

#endif

namespace {

int start(MPI_Request* request) {
    const guard hold;
    int error = MPI_SUCCESS;
    return start_if_ours(*request, &error) ? error : PMPI_Start(request);
}

}  // namespace

int MPI_Start(MPI_Request* request) { return request == nullptr ? PMPI_Start(request) : start(request); }

int MPI_Startall(int count, MPI_Request requests[]) {
    if (count < 0 || (count > 0 && requests == nullptr)) return PMPI_Startall(count, requests);
    for (int i = 0; i < count; ++i)
        if (const int error = start(&requests[i]); error != MPI_SUCCESS) return error;
    return MPI_SUCCESS;
}

int MPI_Request_free(MPI_Request* request) {
    if (request != nullptr) {
        const guard hold;
        free_if_ours(*request);
    }
    return PMPI_Request_free(request);
}

COLLSCHED_ALSO_PMPI(MPI_, , Wait, Waitall, Waitany, Waitsome, Test, Testall, Testany, Testsome, Request_get_status,
                    Start, Startall, Request_free);
