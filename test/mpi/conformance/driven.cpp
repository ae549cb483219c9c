#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "conformance.hpp"

namespace conformance {

namespace {

constexpr int many = 1 << 19;  // of ints: too long for a message to be complete before it is received

/// With a long call in flight, all ranks but the first wait for its completion, which needs the first rank, and only
/// then send what the first rank blocks for. The first rank must therefore drive the call meanwhile.
template <class Ask, class Answer>
void blocks_while_others_wait(const char* what, const group& on, Ask ask, Answer answer) {
    std::vector<int> in(many, on.rank), out(many, -1);
    MPI_Request request;
    MPI_Iallreduce(in.data(), out.data(), many, MPI_INT, MPI_SUM, on.comm, &request);
    if (on.rank == 0) ask();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (on.rank != 0) answer();
    expect(out.front() == on.size * (on.size - 1) / 2 && out.back() == out.front(), what);
}

void messages(const group& on, MPI_Comm comm) {
    int mine = 10 + on.rank, theirs = -1;
    const auto replace = [&](int other) {
        mine = 10 + on.rank;
        MPI_Sendrecv_replace(&mine, 1, MPI_INT, other, 3, other, 3, comm, MPI_STATUS_IGNORE);
        expect(mine == 10 + other, "sendrecv_replace beside a call in flight");
    };
    const auto exchange = [&](int other) {
        MPI_Sendrecv(&on.rank, 1, MPI_INT, other, 4, &theirs, 1, MPI_INT, other, 4, comm, MPI_STATUS_IGNORE);
        expect(theirs == other, "sendrecv beside a call in flight");
    };
    const auto only_one = [&](auto f) {
        return [&, f] {
            if (on.rank == 1) f(0);
        };
    };
    blocks_while_others_wait("sendrecv_replace", on, [&] { replace(1); }, only_one(replace));
    blocks_while_others_wait("sendrecv", on, [&] { exchange(1); }, only_one(exchange));
    blocks_while_others_wait(
        "recv", on, [&] { MPI_Recv(&theirs, 1, MPI_INT, 1, 5, comm, MPI_STATUS_IGNORE); },
        only_one([&](int) { MPI_Send(&on.rank, 1, MPI_INT, 0, 5, comm); }));
#if MPI_VERSION >= 4
    blocks_while_others_wait(
        "recv_c", on, [&] { MPI_Recv_c(&theirs, 1, MPI_INT, 1, 6, comm, MPI_STATUS_IGNORE); },
        only_one([&](int) { MPI_Send_c(&on.rank, 1, MPI_INT, 0, 6, comm); }));
#endif
    if (on.rank == 0) expect(theirs == 1, "a message received beside a call in flight");
}

/// The first rank receives messages before the call for which their sender waits. They are more than the MPI keeps, so
/// the sender's wait has to drive the MPI.
void sends_in_flight(const group& on, MPI_Comm comm) {
    constexpr int messages = 400, length = 4000;
    std::vector<int> data(static_cast<std::size_t>(messages) * length, on.rank);
    std::vector<MPI_Request> sent(messages, MPI_REQUEST_NULL);
    const auto at = [&](int i) { return data.data() + static_cast<std::ptrdiff_t>(i) * length; };
    for (int i = 0; i < messages && on.rank == 1; ++i)
        MPI_Isend(at(i), length, MPI_INT, 0, 7, comm, &sent[static_cast<std::size_t>(i)]);
    if (on.rank == 0) {
        usleep(50'000);
        for (int i = 0; i < messages; ++i) MPI_Recv(at(i), length, MPI_INT, 1, 7, comm, MPI_STATUS_IGNORE);
        expect(data.front() == 1 && data.back() == 1, "messages received while their sender is in a bcast");
    }
    int root = on.rank == 0 ? 5 : -1;
    MPI_Bcast(&root, 1, MPI_INT, 0, comm);
    expect(root == 5, "a bcast of a rank with sends in flight");
    MPI_Waitall(messages, sent.data(), MPI_STATUSES_IGNORE);
}

/// The second rank receives a long message while its earlier ones fill the memory that it shares with the first rank, to
/// each number of bytes once. It then blocks in a function of the MPI, where it does nothing for the sender.
void full_memory(const group& on, MPI_Comm comm) {
    if (on.rank > 1) return;
    constexpr int length = 100'000, piece = 4064, pieces = 31;
    std::vector<char> data(length), gathered(2 * piece), mine(piece);
    MPI_Comm pair, other;
    MPI_Group all, two;
    const int members[] = {0, 1};
    MPI_Comm_group(comm, &all);
    MPI_Group_incl(all, 2, members, &two);
    MPI_Comm_create_group(comm, two, 10, &pair);
    MPI_Comm_dup(pair, &other);
    for (int last = 1; last < piece; last += 8) {
        MPI_Request request;
        int done = 0;
        std::ranges::fill(data, static_cast<char>(on.rank == 0 ? last & 63 : 64));
        MPI_Barrier(pair);
        if (on.rank == 0) {
            MPI_Ibcast(data.data(), length, MPI_CHAR, 0, pair, &request);
            usleep(1000);
        }
        for (int i = 0; i <= pieces; ++i) {
            const int size = i < pieces ? piece : last;
            MPI_Gather(mine.data(), size, MPI_CHAR, gathered.data(), size, MPI_CHAR, 0, other);
        }
        if (on.rank == 1) MPI_Ibcast(data.data(), length, MPI_CHAR, 0, pair, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        expect(data.front() == (last & 63) && data.back() == (last & 63), "a long message beside many short ones");
        if (on.rank == 0) MPI_Send(&last, 1, MPI_INT, 1, 11, comm);
        else MPI_Recv(&done, 1, MPI_INT, 0, 11, comm, MPI_STATUS_IGNORE);
    }
    MPI_Group_free(&all), MPI_Group_free(&two);
    MPI_Comm_free(&other), MPI_Comm_free(&pair);
}

void neighborhoods(const group& on, MPI_Comm comm) {
    const int around[] = {on.size}, closed[] = {1};
    MPI_Comm ring;
    MPI_Cart_create(comm, 1, around, closed, 0, &ring);
    int left_and_right[2] = {-1, -1};
    const auto ask = [&] { MPI_Neighbor_allgather(&on.rank, 1, MPI_INT, left_and_right, 1, MPI_INT, ring); };
    blocks_while_others_wait("neighbor_allgather", on, ask, ask);
    expect(left_and_right[0] == (on.rank + on.size - 1) % on.size && left_and_right[1] == (on.rank + 1) % on.size,
           "neighbor_allgather beside a call in flight");
    const int to_sides[] = {2 * on.rank, 2 * on.rank + 1};  // elements for the left and for the right neighbor
    int from_sides[2] = {-1, -1};
    MPI_Neighbor_alltoall(to_sides, 1, MPI_INT, from_sides, 1, MPI_INT, ring);
    expect(from_sides[0] == 2 * left_and_right[0] + 1 && from_sides[1] == 2 * left_and_right[1],
           "neighbor_alltoall on a ring, of two ranks too");
    MPI_Comm_free(&ring);
}

/// Functions that all ranks call, and that have no non-blocking form.
void together(const group& on, MPI_Comm comm) {
    MPI_Comm made;
    const auto makes = [&](const char* what, auto make) {
        const auto make_and_free = [&] {
            make();
            MPI_Comm_free(&made);
        };
        blocks_while_others_wait(what, on, make_and_free, make_and_free);
    };
    makes("comm_dup", [&] { MPI_Comm_dup(comm, &made); });
    makes("comm_dup_with_info", [&] { MPI_Comm_dup_with_info(comm, MPI_INFO_NULL, &made); });
    makes("comm_split", [&] { MPI_Comm_split(comm, on.rank % 2, 0, &made); });
    makes("comm_split_type", [&] { MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made); });
    MPI_Group all;
    MPI_Comm_group(comm, &all);
    makes("comm_create", [&] { MPI_Comm_create(comm, all, &made); });
    makes("comm_create_group", [&] { MPI_Comm_create_group(comm, all, 9, &made); });
    MPI_Group_free(&all);
    const int size = on.size, closed = 1;
    makes("cart_create", [&] { MPI_Cart_create(comm, 1, &size, &closed, 0, &made); });
    MPI_Comm half, inter;
    MPI_Comm_split(comm, on.rank % 2, 0, &half);
    makes("intercomm_create", [&] { MPI_Intercomm_create(half, 0, comm, 1 - on.rank % 2, 8, &made); });
    MPI_Intercomm_create(half, 0, comm, 1 - on.rank % 2, 8, &inter);
    makes("intercomm_merge", [&] { MPI_Intercomm_merge(inter, on.rank % 2, &made); });
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

/// Windows of shared memory, as Open MPI 4.1.4 has no others in programs with MPI_THREAD_MULTIPLE.
void windows(const group& on, MPI_Comm comm) {
    int* mine = nullptr;
    MPI_Win window;
    const auto make = [&] {
        MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, comm, static_cast<void*>(&mine), &window);
    };
    const auto fence = [&] { MPI_Win_fence(0, window); };
    const auto free = [&] { MPI_Win_free(&window); };
    blocks_while_others_wait("win_allocate_shared", on, make, make);
    blocks_while_others_wait("win_fence", on, fence, fence);
    MPI_Put(&on.rank, 1, MPI_INT, (on.rank + 1) % on.size, 0, 1, MPI_INT, window);
    blocks_while_others_wait("win_fence", on, fence, fence);
    expect(*mine == (on.rank + on.size - 1) % on.size, "a put between fences");
    blocks_while_others_wait("win_free", on, free, free);
}

void files(const group& on, MPI_Comm comm) {
    char name[64] = "";
    if (on.rank == 0) std::snprintf(name, sizeof name, "/tmp/collsched_conformance_%ld", static_cast<long>(getpid()));
    MPI_Bcast(name, sizeof name, MPI_CHAR, 0, comm);
    MPI_File file;
    int back = -1;
    const auto open = [&] {
        MPI_File_open(comm, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    };
    const MPI_Offset place = static_cast<MPI_Offset>(sizeof(int)) * on.rank;
    const auto write = [&] { MPI_File_write_at_all(file, place, &on.rank, 1, MPI_INT, MPI_STATUS_IGNORE); };
    const auto read = [&] { MPI_File_read_at_all(file, place, &back, 1, MPI_INT, MPI_STATUS_IGNORE); };
    const auto close = [&] { MPI_File_close(&file); };
    blocks_while_others_wait("file_open", on, open, open);
    blocks_while_others_wait("file_write_at_all", on, write, write);
    blocks_while_others_wait("file_read_at_all", on, read, read);
    expect(back == on.rank, "data written and read beside a call in flight");
    blocks_while_others_wait("file_close", on, close, close);
}

/// A rank of the same group of an intercommunicator comes last, and before that needs the first rank for another call.
void late_in_own_group(const group& on, MPI_Comm comm) {
    if (on.size < 3) return;
    MPI_Comm half, inter, ends, merged;
    const int last = 2;
    MPI_Comm_split(comm, on.rank % 2, on.rank, &half);
    MPI_Intercomm_create(half, 0, comm, 1 - on.rank % 2, 8, &inter);
    MPI_Comm_split(comm, on.rank == 0 || on.rank == last ? 0 : MPI_UNDEFINED, on.rank, &ends);
    std::vector<int> in(many, on.rank), out(many, -1);
    MPI_Request request = MPI_REQUEST_NULL;
    if (on.rank == last) usleep(50'000);
    if (ends != MPI_COMM_NULL) MPI_Iallreduce(in.data(), out.data(), many, MPI_INT, MPI_SUM, ends, &request);
    if (on.rank == last) MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Intercomm_merge(inter, on.rank % 2, &merged);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect(ends == MPI_COMM_NULL || (out.front() == last && out.back() == last), "a call beside intercomm_merge");
    for (MPI_Comm* one : {&half, &inter, &ends, &merged})
        if (*one != MPI_COMM_NULL) MPI_Comm_free(one);
}

/// A call that is passed to the MPI library has the same form on all ranks, even if only some have operations in
/// flight.
void passed_on(const group& on, MPI_Comm comm) {
    MPI_Comm ends, half, inter;
    const int upper = on.rank % 2;
    MPI_Comm_split(comm, on.rank == 0 || on.rank == on.size - 1 ? 0 : MPI_UNDEFINED, on.rank, &ends);
    MPI_Comm_split(comm, upper, on.rank, &half);
    MPI_Intercomm_create(half, 0, comm, 1 - upper, 7, &inter);
    MPI_Request request = MPI_REQUEST_NULL;
    if (on.rank == 0) MPI_Ibarrier(ends, &request);
    int data = on.rank == 0 ? 42 : -1;
    MPI_Bcast(&data, 1, MPI_INT, upper == 1 ? 0 : on.rank == 0 ? MPI_ROOT : MPI_PROC_NULL, inter);
    expect(upper == 0 || data == 42, "bcast on an intercommunicator, of which one rank has a call in flight");
    if (on.rank == on.size - 1) MPI_Ibarrier(ends, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (MPI_Comm* one : {&ends, &half, &inter})
        if (*one != MPI_COMM_NULL) MPI_Comm_free(one);
}

}  // namespace

/// Tests that blocking functions drive operations in flight, so that other ranks can continue.
void driven(const group& on) {
    if (on.size < 2) return;
    MPI_Comm comm;
    MPI_Comm_dup(on.comm, &comm);
    messages(on, comm);
    sends_in_flight(on, comm);
    full_memory(on, comm);
    neighborhoods(on, comm);
    together(on, comm);
    late_in_own_group(on, comm);
    windows(on, comm);
    files(on, comm);
    passed_on(on, comm);
    MPI_Comm_free(&comm);
}

}  // namespace conformance
