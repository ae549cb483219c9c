#include <thread>

#include "conformance.hpp"

namespace conformance {

namespace {

int handled = 0;
void count_error(MPI_Comm*, int*, ...) { ++handled; }

}  // namespace

/// Tests unusual but valid arguments.
void oddities(const group& on) {
    MPI_Datatype nothing;
    MPI_Type_contiguous(0, MPI_INT, &nothing);
    MPI_Type_commit(&nothing);
    MPI_Op op;
    MPI_Op_create([](void*, void*, int*, MPI_Datatype*) {}, 1, &op);
    int none = 0, other = 0;
    expect(MPI_Allreduce(&none, &other, 3, nothing, op, on.comm) == MPI_SUCCESS, "allreduce of elements without bytes");
    MPI_Op_free(&op);
    MPI_Type_free(&nothing);
#ifdef OPEN_MPI
    // One buffer for input and output without MPI_IN_PLACE: only on the first rank they have the same address.
    std::vector<int> all(static_cast<std::size_t>(on.size), -1);
    all[static_cast<std::size_t>(on.rank)] = on.rank;
    MPI_Allgather(&all[static_cast<std::size_t>(on.rank)], 1, MPI_INT, all.data(), 1, MPI_INT, on.comm);
    for (int r = 0; r < on.size; ++r)
        expect(all[static_cast<std::size_t>(r)] == r, "allgather of a part of its output");
#endif
}

/// Tests that wrong arguments give the error of the MPI library's function, through the program's error handler.
void errors(const group& on) {
    MPI_Comm comm;
    MPI_Comm_dup(on.comm, &comm);
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(count_error, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    int in[4] = {1, 2, 3, 4}, out[4] = {};
    const auto both = [&](const char* what, int ours, int native) {
        expect(class_of(ours) == class_of(native) && ours != MPI_SUCCESS, what, "another error class than the MPI's");
    };
    handled = 0;
    both("bcast of a root that is none", MPI_Bcast(in, 1, MPI_INT, on.size, comm),
         PMPI_Bcast(in, 1, MPI_INT, on.size, comm));
    both("bcast of -1 elements", MPI_Bcast(in, -1, MPI_INT, 0, comm), PMPI_Bcast(in, -1, MPI_INT, 0, comm));
    both("bcast of no type", MPI_Bcast(in, 1, MPI_DATATYPE_NULL, 0, comm),
         PMPI_Bcast(in, 1, MPI_DATATYPE_NULL, 0, comm));
    both("allreduce of no operator", MPI_Allreduce(in, out, 1, MPI_INT, MPI_OP_NULL, comm),
         PMPI_Allreduce(in, out, 1, MPI_INT, MPI_OP_NULL, comm));
    both("allreduce of bits of doubles", MPI_Allreduce(in, out, 1, MPI_DOUBLE, MPI_BAND, comm),
         PMPI_Allreduce(in, out, 1, MPI_DOUBLE, MPI_BAND, comm));
    expect(handled == 10, "every error calls the error handler once");
    const int handled_so_far = handled;
    MPI_Datatype open;
    MPI_Type_vector(2, 1, 2, MPI_INT, &open);
    both("bcast of a type that is not committed", MPI_Bcast(in, 1, open, 0, comm), PMPI_Bcast(in, 1, open, 0, comm));
    expect(handled == handled_so_far + 2, "an error calls the error handler once");
    MPI_Type_free(&open);
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&comm);
}

namespace {

int copies = 0;
int count_copy(MPI_Comm, int, void*, void*, void*, int* flag) {
    ++copies;
    *flag = 1;
    return MPI_SUCCESS;
}

}  // namespace

/// Tests communicators that are made and freed. Attributes of the program are copied only when the program copies a
/// communicator.
void lifetimes() {
    int keyval = MPI_KEYVAL_INVALID, rank = 0, size = 0;
    MPI_Comm_create_keyval(count_copy, MPI_COMM_NULL_DELETE_FN, &keyval, nullptr);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm first;
    MPI_Comm_dup(MPI_COMM_WORLD, &first);
    MPI_Comm_set_attr(first, keyval, nullptr);
    copies = 0;
    const int made_in_all = size <= most_thorough ? 300 : 60;
    for (int i = 0; i < made_in_all; ++i) {
        MPI_Comm made;
        if (i % 2 == 0) MPI_Comm_dup(first, &made);
        else MPI_Comm_split(first, i % 3 == 0 ? rank % 2 : 0, -rank, &made);
        const group on(made, "one of many");
        int sum = 0;
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, made);
        int expected = 0;
        PMPI_Allreduce(&rank, &expected, 1, MPI_INT, MPI_SUM, made);
        expect(sum == expected, "allreduce on one of many communicators");
        MPI_Comm_free(&made);
    }
    expect(copies == made_in_all / 2, "an attribute is copied as often as its communicator");
    MPI_Comm_free_keyval(&keyval);
    MPI_Comm_free(&first);
    MPI_Comm without_state;
    MPI_Request request;
    MPI_Comm_idup(MPI_COMM_WORLD, &without_state, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < 3; ++i) {
        int sum = -1;
        MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, without_state, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        expect(sum == size * (size - 1) / 2, "iallreduce on a communicator of MPI_Comm_idup");
        MPI_Barrier(without_state);
    }
    MPI_Comm_free(&without_state);
}

namespace {

void one_thread(MPI_Comm comm, bool* right) {
    int rank = 0, size = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int i = 0; i < 200; ++i) {
        int mine = rank + i, sum = -1, later = -1;
        MPI_Request request;
        MPI_Iallreduce(&mine, &later, 1, MPI_INT, MPI_SUM, comm, &request);
        MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);
        std::vector<int> all(static_cast<std::size_t>(size), -1);
        MPI_Allgather(&mine, 1, MPI_INT, all.data(), 1, MPI_INT, comm);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        const int expected = size * (size - 1) / 2 + size * i;
        if (sum != expected || later != expected || all.back() != size - 1 + i) *right = false;
    }
}

}  // namespace

/// Tests threads that use communicators of their own at the same time.
void threads() {
    int level = MPI_THREAD_SINGLE;
    MPI_Query_thread(&level);
    if (level != MPI_THREAD_MULTIPLE) return;
    constexpr std::size_t count = 3;
    MPI_Comm comms[count];
    bool right[count] = {true, true, true};
    for (MPI_Comm& one : comms) MPI_Comm_dup(MPI_COMM_WORLD, &one);
    std::vector<std::thread> running;
    for (std::size_t i = 0; i < count; ++i) running.emplace_back(one_thread, comms[i], &right[i]);
    for (std::thread& one : running) one.join();
    for (const bool one : right) expect(one, "calls of several threads at once");
    for (MPI_Comm& one : comms) MPI_Comm_free(&one);
}

/// Tests sizes above the range of an int: 2^31 + 2^20 bytes, in elements of 2^20.
void large(const group& on) {
    constexpr std::size_t chunk = std::size_t{1} << 20, count = 2049;
    MPI_Datatype type;
    MPI_Type_contiguous(static_cast<int>(chunk), MPI_BYTE, &type);
    MPI_Type_commit(&type);
    std::vector<unsigned char> all(chunk * count);
    for (std::size_t i = 0; i < all.size(); i += 4096) all[i] = static_cast<unsigned char>(on.rank == 1 ? i >> 12 : 0);
    MPI_Bcast(all.data(), static_cast<int>(count), type, 1, on.comm);
    for (std::size_t i = 0; i < all.size(); i += 4096)
        expect(all[i] == static_cast<unsigned char>(i >> 12), "bcast of more than 2^31 bytes");
    MPI_Type_free(&type);
    all = std::vector<unsigned char>();

    // A block of 2^29 + 1 ints each: together more than 2^31 bytes.
    const std::size_t ints = (std::size_t{1} << 28) + 1;
    std::vector<int> own(ints, on.rank), gathered(ints * static_cast<std::size_t>(on.size), -1);
    MPI_Allgather(own.data(), static_cast<int>(ints), MPI_INT, gathered.data(), static_cast<int>(ints), MPI_INT,
                  on.comm);
    for (int r = 0; r < on.size; ++r)
        for (std::size_t i = 0; i < ints; i += 1000)
            expect(gathered[static_cast<std::size_t>(r) * ints + i] == r, "allgather of more than 2^31 bytes");
}

}  // namespace conformance
