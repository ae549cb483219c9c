#include <mpi.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

/// One fault or unusual process per run, by the first argument:
/// `dies blocking|waiting`: the last rank kills itself before an allreduce, and the others print its error;
/// `sums`: sums on MPI_COMM_WORLD and on parts of it;
/// `forks`: each rank forks a child that ends while the rank makes calls;
/// `spawns`: each world makes sums, and another world is spawned;
/// `serves`: ranks 0 and 1 repeat short sums until the last rank, the third or a later one, has accessed a window of rank 0.

namespace {

int rank = 0, ranks = 1;

void expect(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "rank %d: %s: wrong\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

void sum(MPI_Comm comm, int count) {
    int mine = 0, size = 0;
    MPI_Comm_rank(comm, &mine);
    MPI_Comm_size(comm, &size);
    std::vector<int> in(static_cast<std::size_t>(count), mine), out(in.size(), -1), later(in.size(), -1);
    MPI_Request request;
    MPI_Iallreduce(in.data(), later.data(), count, MPI_INT, MPI_SUM, comm, &request);
    MPI_Allreduce(in.data(), out.data(), count, MPI_INT, MPI_SUM, comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    const int expected = size * (size - 1) / 2;
    expect(out.front() == expected && out.back() == expected && later.back() == expected, "sum");
}

void sums() {
    for (const int count : {1, 100, 10000, 300000}) {
        sum(MPI_COMM_WORLD, count);
        for (int parts = 2; parts < 4; ++parts) {
            MPI_Comm part, twin;
            MPI_Comm_split(MPI_COMM_WORLD, rank % parts, -rank, &part);
            sum(part, count);
            MPI_Comm_dup(part, &twin);
            sum(twin, count);
            sum(part, count);
            MPI_Comm_free(&part);
            MPI_Comm_free(&twin);
        }
    }
}

/// Ends without MPI_Finalize, which a rank that has died could not join.
void dies(bool waiting) {
    std::vector<double> in(100000, 1), out(in.size());
    const int count = static_cast<int>(in.size());
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Allreduce(in.data(), out.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    int error = MPI_SUCCESS;
    if (rank == ranks - 1) std::raise(SIGKILL);
    const double begin = MPI_Wtime();
    if (waiting) {
        MPI_Request request;
        MPI_Iallreduce(in.data(), out.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
        error = MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        error = MPI_Allreduce(in.data(), out.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    std::printf("rank %d: error %d after %.1f s\n", rank, error != MPI_SUCCESS, MPI_Wtime() - begin);
    std::fflush(stdout);
    sleep(2);  // so that the other ranks end by the death of the first
    _exit(0);
}

/// A child that ends is not the death of its rank, also one that ends as programs do.
void forks() {
    for (int i = 0; i < 4; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            if (i % 2 == 0) _exit(0);
            execl("/bin/true", "true", static_cast<char*>(nullptr));
            _exit(1);
        }
        sum(MPI_COMM_WORLD, 1000);
        int status = -1;
        waitpid(child, &status, 0);
        expect(status == 0, "child");
        sum(MPI_COMM_WORLD, 100000);
    }
}

/// Two worlds on one node, each with its own messages, and a communicator of both.
void spawns(char* program) {
    MPI_Comm parents, both;
    MPI_Comm_get_parent(&parents);
    sum(MPI_COMM_WORLD, 1000);
    const int is_child = parents != MPI_COMM_NULL;
    if (is_child == 0) {
        const char* const given = std::getenv("LD_PRELOAD");
        std::string preload = std::string("LD_PRELOAD=") + (given == nullptr ? "" : given), word = "spawns";
        char* words[] = {preload.data(), program, word.data(), nullptr};
        MPI_Comm_spawn("/usr/bin/env", words, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &parents, MPI_ERRCODES_IGNORE);
    }
    MPI_Intercomm_merge(parents, is_child, &both);
    for (const int count : {1, 1000, 100000}) {
        sum(both, count);
        sum(MPI_COMM_WORLD, count);
    }
    MPI_Comm_free(&both);
    MPI_Comm_disconnect(&parents);
    sum(MPI_COMM_WORLD, 1000);
}

/// The window needs the progress of the MPI at rank 0, which makes no other calls than sums with rank 1 meanwhile.
void serves() {
    constexpr double patience = 20;
    MPI_Comm pair;
    MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 0 : 1, rank, &pair);
    int counter = 0;
    int* flag = nullptr;
    MPI_Win counters, flags;
    MPI_Win_create(&counter, sizeof counter, sizeof counter, MPI_INFO_NULL, MPI_COMM_WORLD, &counters);
    MPI_Win_allocate_shared(rank == 0 ? 64 : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, static_cast<void*>(&flag), &flags);
    MPI_Aint size = 0;
    int unit = 0;
    MPI_Win_shared_query(flags, 0, &size, &unit, static_cast<void*>(&flag));
    std::atomic_ref<int> served(*flag);
    if (rank == 0) served = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == ranks - 1) {
        for (int i = 0, one = 1; i < 20; ++i) {
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, counters);
            MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, counters);
            MPI_Win_unlock(0, counters);
        }
        served = 1;
    } else if (rank < 2) {
        int ends = 0, both_end = 0;
        const double begin = MPI_Wtime();
        while (both_end == 0) {
            ends = served == 1 || MPI_Wtime() - begin > patience ? 1 : 0;
            MPI_Allreduce(&ends, &both_end, 1, MPI_INT, MPI_MIN, pair);
        }
        expect(served == 1, "window");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&flags);
    MPI_Win_free(&counters);
    expect(rank != 0 || counter == 20, "counter");
    MPI_Comm_free(&pair);
}

}  // namespace

int main(int count, char** values) {
    MPI_Init(&count, &values);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const std::string_view what = count > 1 ? values[1] : "";
    if (what == "dies") dies(count > 2 && values[2] == std::string_view("waiting"));
    else if (what == "sums") sums();
    else if (what == "forks") forks();
    else if (what == "spawns") spawns(values[0]);
    else if (what == "serves") serves();
    else expect(false, "argument 1: expected dies, sums, forks, spawns or serves");
    if (rank == 0) std::printf("%s right\n", values[1]);
    MPI_Finalize();
}
