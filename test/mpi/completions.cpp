#include <dlfcn.h>
#include <mpi.h>
#if defined(OPEN_MPI) && MPI_VERSION < 4
#include <mpi-ext.h>
#endif
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

/// completions SECONDS received|none: every function of MPI that completes, starts or frees a request, or that drives
/// operations in flight, with an operation of the library, on two ranks. Each ends within SECONDS, and a tool, if there
/// is one in front of the library, has received the calls. Prints "FUNCTION right" for each.

namespace {

constexpr int many = 1 << 18;  // of ints: too long to be complete on one rank before the other makes progress

int rank = 0;
const char* current = "";
long (*calls_of_library)(const char*, int) = nullptr;

[[noreturn]] void fail(const char* what) {
    std::printf("rank %d: %s: got %s\n", rank, current, what);
    std::fflush(stdout);
    std::_Exit(1);
}

void expect(bool holds, const char* what) {
    if (!holds) fail(what);
}

void late(int) {
    fail("no completion in time, expected one: a request or a message that the other rank waits for is not driven");
}

/// A sum of many elements in flight.
class sum {
  public:
    explicit sum(MPI_Datatype type = MPI_INT, MPI_Op op = MPI_SUM) {
        const long before = calls_of_library("allreduce", 0);
        MPI_Iallreduce(in_.data(), out_.data(), many, type, op, MPI_COMM_WORLD, &request);
        expect(calls_of_library("allreduce", 0) == before + 1, "an operation of the MPI, expected the library's");
    }
    void check() const { expect(out_.front() == 3 && out_.back() == 3, "a wrong sum"); }

    MPI_Request request = MPI_REQUEST_NULL;

  private:
    std::vector<int> in_ = std::vector<int>(many, rank + 1), out_ = std::vector<int>(many, -1);
};

void wait() {
    sum one;
    MPI_Wait(&one.request, MPI_STATUS_IGNORE);
    one.check();
}

void test() {
    sum one;
    for (int flag = 0; flag == 0;) MPI_Test(&one.request, &flag, MPI_STATUS_IGNORE);
    one.check();
}

void request_get_status() {
    sum one;
    for (int flag = 0; flag == 0;) MPI_Request_get_status(one.request, &flag, MPI_STATUS_IGNORE);
    one.check();
    MPI_Wait(&one.request, MPI_STATUS_IGNORE);
}

/// Two sums, a message in each direction, and no request, completed by a function.
template <class Complete>
void several(Complete complete) {
    sum first, second;
    int mine = rank, theirs = -1;
    MPI_Request all[5] = {first.request, MPI_REQUEST_NULL, MPI_REQUEST_NULL, second.request, MPI_REQUEST_NULL};
    MPI_Irecv(&theirs, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &all[1]);
    MPI_Isend(&mine, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &all[4]);
    complete(5, all);
    for (const MPI_Request one : all) expect(one == MPI_REQUEST_NULL, "a request that is not complete");
    first.check(), second.check();
    expect(theirs == 1 - rank, "a wrong message");
}

void waitall() {
    several([](int count, MPI_Request* all) { MPI_Waitall(count, all, MPI_STATUSES_IGNORE); });
}

void testall() {
    several([](int count, MPI_Request* all) {
        for (int flag = 0; flag == 0;) MPI_Testall(count, all, &flag, MPI_STATUSES_IGNORE);
    });
}

void waitany() {
    several([](int count, MPI_Request* all) {
        for (int index = 0; index != MPI_UNDEFINED;) MPI_Waitany(count, all, &index, MPI_STATUS_IGNORE);
    });
}

void testany() {
    several([](int count, MPI_Request* all) {
        for (int index = 0, flag = 0; flag == 0 || index != MPI_UNDEFINED;)
            MPI_Testany(count, all, &index, &flag, MPI_STATUS_IGNORE);
    });
}

void waitsome() {
    several([](int count, MPI_Request* all) {
        int indices[5];
        for (int done = 0; done != MPI_UNDEFINED;) MPI_Waitsome(count, all, &done, indices, MPI_STATUSES_IGNORE);
    });
}

void testsome() {
    several([](int count, MPI_Request* all) {
        int indices[5];
        for (int done = 0; done != MPI_UNDEFINED;) MPI_Testsome(count, all, &done, indices, MPI_STATUSES_IGNORE);
    });
}

/// MPI may not cancel an operation of several ranks. A receive is canceled beside one.
void cancel() {
    sum one;
    int never = -1, canceled = 0;
    MPI_Request receive;
    MPI_Status status;
    MPI_Irecv(&never, 1, MPI_INT, 1 - rank, 2, MPI_COMM_WORLD, &receive);
    MPI_Cancel(&receive);
    MPI_Wait(&receive, &status);
    MPI_Test_cancelled(&status, &canceled);
    expect(canceled != 0, "a receive that is not canceled");
    MPI_Wait(&one.request, MPI_STATUS_IGNORE);
    one.check();
}

/// A persistent sum of many elements.
class repeated_sum {
  public:
    repeated_sum() {
#if MPI_VERSION >= 4
        MPI_Allreduce_init(in_.data(), out_.data(), many, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
#else
        MPIX_Allreduce_init(in_.data(), out_.data(), many, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
#endif
    }
    void set(int value) { in_.assign(many, value); }
    void check(int value) const { expect(out_.front() == value && out_.back() == value, "a wrong sum of a start"); }

    MPI_Request request = MPI_REQUEST_NULL;

  private:
    std::vector<int> in_ = std::vector<int>(many), out_ = std::vector<int>(many, -1);
};

void start() {
    const long before = calls_of_library("allreduce", 0);
    repeated_sum one;
    expect(calls_of_library("allreduce", 0) == before + 1, "an operation of the MPI, expected the library's");
    for (int i = 0; i < 3; ++i) {
        one.set(i + rank);
        MPI_Start(&one.request);
        MPI_Wait(&one.request, MPI_STATUS_IGNORE);
        one.check(2 * i + 1);
    }
    MPI_Request_free(&one.request);
}

void startall() {
    repeated_sum first, second;
    int mine = 0, theirs = -1;
    MPI_Request all[4] = {first.request, MPI_REQUEST_NULL, second.request, MPI_REQUEST_NULL};
    MPI_Recv_init(&theirs, 1, MPI_INT, 1 - rank, 3, MPI_COMM_WORLD, &all[1]);
    MPI_Send_init(&mine, 1, MPI_INT, 1 - rank, 3, MPI_COMM_WORLD, &all[3]);
    for (int i = 0; i < 3; ++i) {
        first.set(i), second.set(i + 1), mine = 10 * i + rank;
        MPI_Startall(4, all);
        MPI_Waitall(4, all, MPI_STATUSES_IGNORE);
        first.check(2 * i), second.check(2 * i + 2);
        expect(theirs == 10 * i + 1 - rank, "a wrong message of a start");
    }
    for (MPI_Request& one : all) MPI_Request_free(&one);
}

/// Requests of messages that are made afterwards may have the value of the freed one.
void request_free() {
    for (int i = 0; i < 20; ++i) {
        repeated_sum one;
        one.set(rank + i);
        MPI_Start(&one.request);
        MPI_Wait(&one.request, MPI_STATUS_IGNORE);
        one.check(2 * i + 1);
        MPI_Request_free(&one.request);
        expect(one.request == MPI_REQUEST_NULL, "a request that is not freed");
        int mine = i, theirs = -1;
        MPI_Request both[2];
        MPI_Recv_init(&theirs, 1, MPI_INT, 1 - rank, 4, MPI_COMM_WORLD, &both[0]);
        MPI_Send_init(&mine, 1, MPI_INT, 1 - rank, 4, MPI_COMM_WORLD, &both[1]);
        for (MPI_Request& each : both) MPI_Start(&each);
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
        expect(theirs == i, "a wrong message after a freed request");
        for (MPI_Request& each : both) MPI_Request_free(&each);
    }
}

/// A type that is freed while an operation uses it, and whose handle the MPI may give to another one.
void type_free() {
    MPI_Datatype first, other[8];
    MPI_Type_contiguous(1, MPI_INT, &first);
    MPI_Type_commit(&first);
    std::vector<int> in(many, rank), out(many, -1);
    MPI_Request request;
    MPI_Iallgather(in.data(), many / 2, first, out.data(), many / 2, first, MPI_COMM_WORLD, &request);
    MPI_Type_free(&first);
    expect(first == MPI_DATATYPE_NULL, "a type that is not freed");
    for (MPI_Datatype& one : other) MPI_Type_contiguous(3, MPI_DOUBLE, &one), MPI_Type_commit(&one);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect(out.front() == 0 && out[many / 2 - 1] == 0 && out[many / 2] == 1 && out.back() == 1, "a wrong allgather");
    for (MPI_Datatype& one : other) MPI_Type_free(&one);
}

void add(void* in, void* inout, int* count, MPI_Datatype*) {
    for (int i = 0; i < *count; ++i) static_cast<int*>(inout)[i] += static_cast<int*>(in)[i];
}
void subtract(void* in, void* inout, int* count, MPI_Datatype*) {
    for (int i = 0; i < *count; ++i) static_cast<int*>(inout)[i] -= static_cast<int*>(in)[i];
}

void op_free() {
    MPI_Op op, other[8];
    MPI_Op_create(add, 1, &op);
    sum one(MPI_INT, op);
    MPI_Op_free(&op);
    expect(op == MPI_OP_NULL, "an operator that is not freed");
    for (MPI_Op& each : other) MPI_Op_create(subtract, 1, &each);
    MPI_Wait(&one.request, MPI_STATUS_IGNORE);
    one.check();
    for (MPI_Op& each : other) MPI_Op_free(&each);
}

/// While rank 1 waits for the end of a sum, which needs rank 0, rank 0 is in a function that ends when rank 1 has made
/// its part of it afterwards.
template <class First, class Second>
void blocked(First first, Second second) {
    sum one;
    if (rank == 0) first();
    MPI_Wait(&one.request, MPI_STATUS_IGNORE);
    if (rank == 1) second();
    one.check();
}

std::vector<int> memory;  // of messages
void receive() { MPI_Recv(memory.data(), many, MPI_INT, 1 - rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }
void send_one() { MPI_Send(&rank, 1, MPI_INT, 1 - rank, 5, MPI_COMM_WORLD); }

void send() {
    blocked([] { MPI_Send(memory.data(), many, MPI_INT, 1, 5, MPI_COMM_WORLD); }, receive);
}
void ssend() {
    blocked([] { MPI_Ssend(memory.data(), 1, MPI_INT, 1, 5, MPI_COMM_WORLD); }, receive);
}
void recv() { blocked(receive, send_one); }
void sendrecv() {
    const auto both = [] {
        int theirs = -1;
        MPI_Sendrecv(&rank, 1, MPI_INT, 1 - rank, 5, &theirs, 1, MPI_INT, 1 - rank, 5, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        expect(theirs == 1 - rank, "a wrong message");
    };
    blocked(both, both);
}
void sendrecv_replace() {
    const auto both = [] {
        int value = rank;
        MPI_Sendrecv_replace(&value, 1, MPI_INT, 1 - rank, 5, 1 - rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        expect(value == 1 - rank, "a wrong message");
    };
    blocked(both, both);
}
void probe() {
    blocked([] { MPI_Probe(1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE), receive(); }, send_one);
}
void iprobe() {
    const auto poll = [] {
        for (int flag = 0; flag == 0;) MPI_Iprobe(1, 5, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        receive();
    };
    blocked(poll, send_one);
}
void receive_matched(MPI_Message* message) { MPI_Mrecv(memory.data(), many, MPI_INT, message, MPI_STATUS_IGNORE); }
void mprobe() {
    const auto match = [] {
        MPI_Message message;
        MPI_Mprobe(1, 5, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        receive_matched(&message);
    };
    blocked(match, send_one);
}
void improbe() {
    const auto poll = [] {
        MPI_Message message;
        for (int flag = 0; flag == 0;) MPI_Improbe(1, 5, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
        receive_matched(&message);
    };
    blocked(poll, send_one);
}

template <class Together>
void blocked_together(Together together) {
    blocked(together, together);
}
void barrier() {
    blocked_together([] { MPI_Barrier(MPI_COMM_WORLD); });
}
MPI_Comm made;
void use_and_free() {
    int total = 0;
    MPI_Request request;
    const long before = calls_of_library("allreduce", 0);
    MPI_Iallreduce(&rank, &total, 1, MPI_INT, MPI_SUM, made, &request);
    expect(calls_of_library("allreduce", 0) == before + 1, "a communicator that is not the library's");
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect(total == 1, "a wrong sum on a communicator");
    MPI_Comm_free(&made);
}
void comm_dup() {
    blocked_together([] { MPI_Comm_dup(MPI_COMM_WORLD, &made), use_and_free(); });
}
void comm_split() {
    blocked_together([] { MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &made), use_and_free(); });
}
void comm_free() { comm_dup(); }
MPI_Win window;
void make_window() {
    void* base = nullptr;
    MPI_Win_allocate_shared(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, static_cast<void*>(&base), &window);
}
void win_allocate_shared() {
    blocked_together(make_window);
    MPI_Win_free(&window);
}
void win_fence() {
    make_window();
    blocked_together([] { MPI_Win_fence(0, window); });
    MPI_Win_free(&window);
}
void win_free() {
    make_window();
    blocked_together([] { MPI_Win_free(&window); });
}

MPI_File file;
/// The MPI's own calls of its collective functions stay within it.
void open_and_close() {
    const auto calls = [] {
        return calls_of_library("barrier", 0) + calls_of_library("bcast", 0) + calls_of_library("allreduce", 0) +
               calls_of_library("allgather", 0) + calls_of_library("gather", 0);
    };
    const long before = calls();
    MPI_File_open(MPI_COMM_WORLD, "/dev/null", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    expect(calls() == before, "calls of the MPI's own functions of files");
    MPI_File_close(&file);
}
void file_open() { blocked_together(open_and_close); }
void file_close() {
    MPI_File_open(MPI_COMM_WORLD, "/dev/null", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    blocked_together([] { MPI_File_close(&file); });
}

#if MPI_VERSION >= 4
void parrived() {
    MPI_Request request;
    int value = rank == 1 ? 7 : -1;
    if (rank == 0) MPI_Precv_init(&value, 1, 1, MPI_INT, 1, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    else MPI_Psend_init(&value, 1, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    const auto poll = [&] {
        for (int flag = 0; flag == 0;) MPI_Parrived(request, 0, &flag);
    };
    blocked(poll, [&] { MPI_Pready(0, request); });
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect(value == 7, "a wrong partition");
    MPI_Request_free(&request);
}
#endif

struct function {
    const char* name;
    void (*run)();
    bool intercepted = true;  ///< by the library; a tool behind it receives other calls
};
constexpr function functions[] = {
    {"MPI_Wait", wait},
    {"MPI_Waitall", waitall},
    {"MPI_Waitany", waitany},
    {"MPI_Waitsome", waitsome},
    {"MPI_Test", test},
    {"MPI_Testall", testall},
    {"MPI_Testany", testany},
    {"MPI_Testsome", testsome},
    {"MPI_Request_get_status", request_get_status},
    {"MPI_Request_free", request_free},
    {"MPI_Cancel", cancel, false},
    {"MPI_Start", start},
    {"MPI_Startall", startall},
    {"MPI_Type_free", type_free},
    {"MPI_Op_free", op_free},
    {"MPI_Send", send},
    {"MPI_Ssend", ssend},
    {"MPI_Recv", recv},
    {"MPI_Sendrecv", sendrecv},
    {"MPI_Sendrecv_replace", sendrecv_replace},
    {"MPI_Probe", probe},
    {"MPI_Iprobe", iprobe},
    {"MPI_Mprobe", mprobe},
    {"MPI_Improbe", improbe},
    {"MPI_Barrier", barrier},
    {"MPI_Comm_dup", comm_dup},
    {"MPI_Comm_split", comm_split},
    {"MPI_Comm_free", comm_free, false},
    {"MPI_Win_allocate_shared", win_allocate_shared},
    {"MPI_Win_fence", win_fence},
    {"MPI_Win_free", win_free},
    {"MPI_File_open", file_open},
    {"MPI_File_close", file_close},
#if MPI_VERSION >= 4
    {"MPI_Parrived", parrived},
#endif
};

/// Returns the number of calls that the tool has received, 0 without one.
int received(const char* name) {
    int count = 0;
    MPI_Pcontrol(1, name, &count);
    return count;
}

/// Some functions are called on rank 0 alone.
void right(bool received_by_tool) {
    if (rank != 0) return;
    expect((received(current) > 0) == received_by_tool, "calls in the wrong order of tool and library");
    std::printf("%s right\n", current), std::fflush(stdout);
}

}  // namespace

int main(int count, char** values) {
    if (count != 3) return 2;
    const auto seconds = static_cast<unsigned>(std::atoi(values[1]));
    const bool in_front = std::strcmp(values[2], "received") == 0;
    std::signal(SIGALRM, late);
    current = "MPI_Init";
    alarm(seconds);
    MPI_Init(&count, &values);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    *reinterpret_cast<void**>(&calls_of_library) = dlsym(RTLD_DEFAULT, "collsched_mpi_calls");
    expect(calls_of_library != nullptr, "no library");
    memory.resize(many);
    right(in_front);
    for (const function& one : functions) {
        current = one.name;
        alarm(seconds);
        one.run();
        right(in_front || !one.intercepted);
    }
    current = "MPI_Finalize";
    alarm(seconds);
    MPI_Finalize();
    right(in_front);
    return 0;
}
