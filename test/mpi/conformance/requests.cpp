#include "conformance.hpp"

namespace conformance {

namespace {

/// Sums of rank + i over the communicator, as many calls at once.
struct many_sums {
    explicit many_sums(const group& on, std::size_t count) : mine(count), sum(count, -1), requests(count) {
        for (std::size_t i = 0; i < count; ++i) {
            mine[i] = on.rank + static_cast<int>(i);
            MPI_Iallreduce(&mine[i], &sum[i], 1, MPI_INT, MPI_SUM, on.comm, &requests[i]);
        }
    }
    bool right(const group& on, std::size_t i) const {
        return sum[i] == on.size * (on.size - 1) / 2 + on.size * static_cast<int>(i);
    }
    bool all_right(const group& on) const {
        for (std::size_t i = 0; i < sum.size(); ++i)
            if (!right(on, i)) return false;
        return true;
    }
    std::vector<int> mine, sum;
    std::vector<MPI_Request> requests;

    int count() const { return static_cast<int>(requests.size()); }
};

void waits(const group& on) {
    many_sums all(on, 40);
    MPI_Waitall(all.count(), all.requests.data(), MPI_STATUSES_IGNORE);
    expect(all.all_right(on), "waitall");

    many_sums any(on, 9);
    for (int k = 0; k < any.count(); ++k) {
        int index = MPI_UNDEFINED;
        MPI_Waitany(any.count(), any.requests.data(), &index, MPI_STATUS_IGNORE);
        expect(index != MPI_UNDEFINED && any.right(on, static_cast<std::size_t>(index)), "waitany");
    }
    many_sums some(on, 9);
    for (int left = some.count(); left > 0;) {
        int done = 0, indices[9];
        MPI_Waitsome(some.count(), some.requests.data(), &done, indices, MPI_STATUSES_IGNORE);
        for (int k = 0; k < done; ++k) expect(some.right(on, static_cast<std::size_t>(indices[k])), "waitsome");
        left -= done;
    }
    // Each rank waits in a different order.
    many_sums turned(on, 12);
    for (int k = 0; k < 12; ++k) {
        const auto i = static_cast<std::size_t>((on.rank % 2 == 0 ? k : 11 - k));
        MPI_Wait(&turned.requests[i], MPI_STATUS_IGNORE);
        expect(turned.right(on, i) && turned.requests[i] == MPI_REQUEST_NULL, "wait");
    }
}

void tests(const group& on) {
    int flag = 0;
    many_sums all(on, 7);
    while (flag == 0) MPI_Testall(all.count(), all.requests.data(), &flag, MPI_STATUSES_IGNORE);
    expect(all.all_right(on), "testall");

    many_sums any(on, 7);
    for (int k = 0; k < any.count(); ++k) {
        int index = MPI_UNDEFINED;
        for (flag = 0; flag == 0;) MPI_Testany(any.count(), any.requests.data(), &index, &flag, MPI_STATUS_IGNORE);
        expect(any.right(on, static_cast<std::size_t>(index)), "testany");
    }
    many_sums some(on, 7);
    for (int left = some.count(), done = 0; left > 0; left -= done) {
        int indices[7];
        MPI_Testsome(some.count(), some.requests.data(), &done, indices, MPI_STATUSES_IGNORE);
        for (int k = 0; k < done; ++k) expect(some.right(on, static_cast<std::size_t>(indices[k])), "testsome");
    }
    many_sums one(on, 1);
    for (flag = 0; flag == 0;) MPI_Request_get_status(one.requests[0], &flag, MPI_STATUS_IGNORE);
    expect(one.right(on, 0) && one.requests[0] != MPI_REQUEST_NULL, "request_get_status");
    for (flag = 0; flag == 0;) MPI_Test(&one.requests[0], &flag, MPI_STATUS_IGNORE);
    expect(one.requests[0] == MPI_REQUEST_NULL, "test");
}

/// Tests more concurrent calls than there are channels.
void very_many(const group& on) {
    many_sums all(on, 5000);
    MPI_Waitall(all.count(), all.requests.data(), MPI_STATUSES_IGNORE);
    expect(all.all_right(on), "5000 calls at once");
}

/// Tests that wildcard receives of the program do not match messages of collective calls.
void wildcards(const group& on) {
    const int to = (on.rank + 1) % on.size, from = (on.rank + on.size - 1) % on.size;
    int message = -1;
    MPI_Request receive;
    MPI_Irecv(&message, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, on.comm, &receive);
    many_sums sums(on, 5);
    int all = -1;
    MPI_Allreduce(&on.rank, &all, 1, MPI_INT, MPI_SUM, on.comm);
    MPI_Barrier(on.comm);
    std::vector<MPI_Request> mixed = sums.requests;
    mixed.push_back(receive);
    MPI_Send(&on.rank, 1, MPI_INT, to, 3, on.comm);
    std::vector<MPI_Status> statuses(mixed.size());
    MPI_Waitall(static_cast<int>(mixed.size()), mixed.data(), statuses.data());
    expect(message == from && statuses.back().MPI_SOURCE == from && statuses.back().MPI_TAG == 3,
           "a receive beside collective calls");
    expect(sums.all_right(on) && all == on.size * (on.size - 1) / 2, "collective calls beside a receive");
}

/// Tests that a rank that blocks in another function makes progress on calls in flight.
void blocked_elsewhere(const group& on) {
    many_sums first(on, 3);
    int token = 0;
    if (on.rank == 0) {
        for (int from = 1; from < on.size; ++from) MPI_Recv(&token, 1, MPI_INT, from, 5, on.comm, MPI_STATUS_IGNORE);
        MPI_Waitall(first.count(), first.requests.data(), MPI_STATUSES_IGNORE);
    } else {
        MPI_Waitall(first.count(), first.requests.data(), MPI_STATUSES_IGNORE);
        MPI_Send(&token, 1, MPI_INT, 0, 5, on.comm);
    }
    expect(first.all_right(on), "calls in flight while a rank receives");

    many_sums second(on, 3);
    if (on.rank == 0) MPI_Barrier(on.comm);
    MPI_Waitall(second.count(), second.requests.data(), MPI_STATUSES_IGNORE);
    if (on.rank != 0) MPI_Barrier(on.comm);
    expect(second.all_right(on), "calls in flight while a rank is in a barrier");
}

/// Tests several persistent calls, started together, with different data each time.
void persistent_calls(const group& on, std::size_t count) {
    std::vector<int> mine(count), sum(count);
    std::vector<MPI_Request> all(count);
    for (std::size_t i = 0; i < count; ++i) {
        MPI_Request* r = &all[i];
        CONFORMANCE_INIT(Allreduce, &mine[i], &sum[i], 1, MPI_INT, MPI_SUM, on.comm);
    }
    for (int round = 0; round < 5; ++round) {
        for (std::size_t i = 0; i < count; ++i) mine[i] = round * 10 + static_cast<int>(i) + on.rank;
        MPI_Startall(static_cast<int>(count), all.data());
        MPI_Waitall(static_cast<int>(count), all.data(), MPI_STATUSES_IGNORE);
        for (std::size_t i = 0; i < count; ++i)
            expect(sum[i] == on.size * (round * 10 + static_cast<int>(i)) + on.size * (on.size - 1) / 2 &&
                       all[i] != MPI_REQUEST_NULL,
                   "persistent calls started together");
    }
    for (MPI_Request& one : all) MPI_Request_free(&one);
}

/// Tests more persistent calls than there are channels: the MPI carries out the others.
void very_many_persistent(const group& on) {
    if (on.size > 3) return;  // it takes long
    group twin = on;
    MPI_Comm_dup(on.comm, &twin.comm);
    persistent_calls(twin, 2100);
    MPI_Comm_free(&twin.comm);
}

void add(void* in, void* inout, int* count, MPI_Datatype*) {
    for (int i = 0; i < *count; ++i) static_cast<int*>(inout)[2 * i] += static_cast<int*>(in)[2 * i];
}

/// Tests that type, operator and communicator may be freed while a call is in flight.
void freed_early(const group& on) {
    MPI_Comm comm;
    MPI_Comm_dup(on.comm, &comm);
    MPI_Op op;
    MPI_Op_create(add, 1, &op);
    MPI_Datatype type;
    MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &type);
    MPI_Type_commit(&type);
    std::vector<int> mine(200, on.rank), sum(200, -1);
    MPI_Request request;
    MPI_Iallreduce(mine.data(), sum.data(), 100, type, op, comm, &request);
    MPI_Type_free(&type);
    MPI_Op_free(&op);
    MPI_Comm_free(&comm);
    expect(type == MPI_DATATYPE_NULL && op == MPI_OP_NULL && comm == MPI_COMM_NULL, "handles freed early");
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (std::size_t i = 0; i < 200; ++i)
        expect(sum[i] == (i % 2 == 0 ? on.size * (on.size - 1) / 2 : -1), "a call whose handles are freed early");
}

}  // namespace

void requests(const group& on) {
    waits(on);
    tests(on);
    wildcards(on);
    blocked_elsewhere(on);
    persistent_calls(on, 6);
    very_many_persistent(on);
    freed_early(on);
    very_many(on);
}

}  // namespace conformance
