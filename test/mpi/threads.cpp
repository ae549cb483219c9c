#include <mpi.h>
#if defined(OPEN_MPI) && MPI_VERSION < 4
#include <mpi-ext.h>
#define MPI_Allreduce_init MPIX_Allreduce_init
#endif

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

/// Threads that make calls at once, each on a communicator of its own. Arguments: the number of rounds, then the kinds
/// of calls in each round (default: all).

namespace {

int rank = 0, ranks = 1;

void expect(bool holds, const char* what, int thread) {
    if (holds) return;
    std::fprintf(stderr, "rank %d, thread %d: %s: wrong\n", rank, thread, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
    std::exit(1);
}

/// The communicator of a thread, and persistent sums on it.
struct thread_calls {
    MPI_Comm comm = MPI_COMM_NULL, passed_on = MPI_COMM_NULL;
    int thread = 0, round = 0;
    int in = 0, out = 0;
    MPI_Request persistent = MPI_REQUEST_NULL;

    int sum() const { return ranks * (ranks - 1) / 2 + ranks * (round + thread); }
    int mine() const { return rank + round + thread; }

    void blocking() {
        const int given = mine();
        int found = -1;
        MPI_Allreduce(&given, &found, 1, MPI_INT, MPI_SUM, comm);
        expect(found == sum(), "allreduce", thread);
        std::vector<int> all(static_cast<std::size_t>(ranks), -1), many(20000, rank == 0 ? round : -1);
        MPI_Allgather(&given, 1, MPI_INT, all.data(), 1, MPI_INT, comm);
        expect(all.back() == ranks - 1 + round + thread, "allgather", thread);
        MPI_Bcast(many.data(), static_cast<int>(many.size()), MPI_INT, 0, comm);
        expect(many.back() == round, "bcast", thread);
    }
    void nonblocking() {
        const int given = mine();
        int sums[3] = {-1, -1, -1};
        MPI_Request requests[3];
        for (int i = 0; i < 3; ++i) MPI_Iallreduce(&given, &sums[i], 1, MPI_INT, MPI_SUM, comm, &requests[i]);
        MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
        for (const int found : sums) expect(found == sum(), "iallreduce", thread);
    }
    void persistent_sum() {
        if (persistent == MPI_REQUEST_NULL)
            MPI_Allreduce_init(&in, &out, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &persistent);
        in = mine();
        MPI_Start(&persistent);
        MPI_Wait(&persistent, MPI_STATUS_IGNORE);
        expect(out == sum(), "allreduce_init", thread);
        if (round % 5 == 0) MPI_Request_free(&persistent);
    }
    void communicators() {
        MPI_Comm made;
        if (round % 2 == 0) MPI_Comm_dup(comm, &made);
        else MPI_Comm_split(comm, 0, -rank, &made);
        const int given = mine();
        int found = -1;
        MPI_Allreduce(&given, &found, 1, MPI_INT, MPI_SUM, made);
        expect(found == sum(), "allreduce on a new communicator", thread);
        MPI_Comm_free(&made);
    }
    void windows() {
        int* memory = nullptr;
        MPI_Win window;
        MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &memory, &window);
        *memory = -1;
        const int given = mine();
        MPI_Win_fence(0, window);
        MPI_Put(&given, 1, MPI_INT, (rank + 1) % ranks, 0, 1, MPI_INT, window);
        MPI_Win_fence(0, window);
        expect(*memory == (rank + ranks - 1) % ranks + round + thread, "put", thread);
        MPI_Win_free(&window);
    }
    void passed_on_calls() {
        const int given = mine();
        int found = -1;
        MPI_Allreduce(&given, &found, 1, MPI_INT, MPI_SUM, passed_on);
        expect(found == sum(), "allreduce that is passed on", thread);
    }

    void run(std::string_view kinds) {
        for (const char kind : kinds) {
            if (kind == 'b') blocking();
            if (kind == 'n') nonblocking();
            if (kind == 'p') persistent_sum();
            if (kind == 'c') communicators();
            if (kind == 'w') windows();
            if (kind == 'm') passed_on_calls();
        }
    }
};

void run_threads(int count, int rounds, std::string_view kinds) {
    std::vector<thread_calls> all(static_cast<std::size_t>(count));
    MPI_Info native;
    MPI_Info_create(&native);
    MPI_Info_set(native, "collsched_allreduce", "native");
    for (std::size_t i = 0; i < all.size(); ++i) {
        all[i].thread = static_cast<int>(i);
        MPI_Comm_dup(MPI_COMM_WORLD, &all[i].comm);
        MPI_Comm_dup_with_info(MPI_COMM_WORLD, native, &all[i].passed_on);
    }
    MPI_Info_free(&native);
    std::vector<std::thread> running;
    for (thread_calls& one : all)
        running.emplace_back([&one, rounds, kinds] {
            for (one.round = 1; one.round <= rounds; ++one.round) one.run(kinds);
        });
    for (std::thread& one : running) one.join();
    for (thread_calls& one : all) {
        if (one.persistent != MPI_REQUEST_NULL) MPI_Request_free(&one.persistent);
        MPI_Comm_free(&one.comm);
        MPI_Comm_free(&one.passed_on);
    }
}

}  // namespace

int main(int count, char** values) {
    int provided = MPI_THREAD_SINGLE;
    MPI_Init_thread(&count, &values, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    expect(provided == MPI_THREAD_MULTIPLE, "MPI_THREAD_MULTIPLE", 0);
    const int rounds = count > 1 ? std::atoi(values[1]) : 20;
    const std::string_view kinds = count > 2 ? values[2] : "bnpcwm";
    for (int threads = 2; threads <= 4; ++threads) run_threads(threads, rounds, kinds);
    if (rank == 0) std::printf("threads right on %d ranks\n", ranks);
    MPI_Finalize();
}
