#include "conformance.hpp"

namespace conformance {

namespace {

/// Two groups of ranks, and this rank in one of them.
struct sides {
    MPI_Comm comm = MPI_COMM_NULL;
    int rank = 0, size = 1, others = 1;
    bool upper = false;
};

/// The root of a call whose root is rank `root` of the upper or the lower side. Ranks of its side other than it are idle.
struct root_of_call {
    bool upper = false;
    int root = 0;

    bool has_root(const sides& at) const { return at.upper == upper; }
    bool is_root(const sides& at) const { return has_root(at) && at.rank == root; }
    bool is_idle(const sides& at) const { return has_root(at) && at.rank != root; }
    int argument(const sides& at) const { return !has_root(at) ? root : is_root(at) ? MPI_ROOT : MPI_PROC_NULL; }
};

void rooted(const sides& at, const root_of_call& of, int n) {
    const int root = of.argument(at);
    const auto count = static_cast<std::size_t>(of.is_idle(at) ? 0 : n), others = static_cast<std::size_t>(at.others);
    std::vector<int> data(count, of.has_root(at) ? n + of.root : -1), all(count * others, -1);
    MPI_Bcast(data.data(), static_cast<int>(count), MPI_INT, root, at.comm);
    for (const int one : data) expect(one == n + of.root, "bcast between groups");

    data.assign(count, at.rank + n);
    all.assign(count, -1);
    MPI_Reduce(data.data(), all.data(), static_cast<int>(count), MPI_INT, MPI_SUM, root, at.comm);
    if (of.is_root(at))
        for (const int one : all)
            expect(one == at.others * n + at.others * (at.others - 1) / 2, "reduce between groups");

    all.assign(count * others, -1);
    MPI_Gather(data.data(), static_cast<int>(count), MPI_INT, all.data(), static_cast<int>(count), MPI_INT, root,
               at.comm);
    if (of.is_root(at))
        for (std::size_t i = 0; i < all.size(); ++i)
            expect(all[i] == static_cast<int>(i / count) + n, "gather between groups");

    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i / count) + n;
    data.assign(count, -1);
    MPI_Scatter(all.data(), static_cast<int>(count), MPI_INT, data.data(), static_cast<int>(count), MPI_INT, root,
                at.comm);
    if (!of.has_root(at))
        for (const int one : data) expect(one == at.rank + n, "scatter between groups");
}

void without_root(const sides& at, int n) {
    const auto count = static_cast<std::size_t>(n), others = static_cast<std::size_t>(at.others);
    std::vector<int> mine(count * others, at.rank + n), all(count * others, -1);
    MPI_Allreduce(mine.data(), all.data(), n, MPI_INT, MPI_SUM, at.comm);
    for (std::size_t i = 0; i < count; ++i)
        expect(all[i] == at.others * n + at.others * (at.others - 1) / 2, "allreduce between groups");
    MPI_Allgather(mine.data(), n, MPI_INT, all.data(), n, MPI_INT, at.comm);
    for (std::size_t i = 0; i < all.size(); ++i)
        expect(all[i] == static_cast<int>(i / count) + n, "allgather between groups");
    for (std::size_t i = 0; i < mine.size(); ++i) mine[i] = 100 * at.rank + static_cast<int>(i / count);
    MPI_Alltoall(mine.data(), n, MPI_INT, all.data(), n, MPI_INT, at.comm);
    for (std::size_t i = 0; i < all.size(); ++i)
        expect(all[i] == 100 * static_cast<int>(i / count) + at.rank, "alltoall between groups");
    MPI_Barrier(at.comm);
}

}  // namespace

/// Tests blocking calls on an intercommunicator of two halves of the world. Roots are on both sides, and lengths differ
/// from call to call.
void intercommunicators() {
    const group world(MPI_COMM_WORLD, "world");
    if (world.size < 2) return;
    sides at;
    at.upper = world.rank >= world.size / 2;
    MPI_Comm half, merged;
    MPI_Comm_split(MPI_COMM_WORLD, at.upper ? 1 : 0, world.rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, at.upper ? 0 : world.size / 2, 7, &at.comm);
    MPI_Comm_rank(at.comm, &at.rank);
    MPI_Comm_size(at.comm, &at.size);
    MPI_Comm_remote_size(at.comm, &at.others);
    for (int n = 1; n < 8; ++n) {
        for (const bool upper : {false, true})
            for (int root = 0; root < (upper == at.upper ? at.size : at.others); ++root)
                rooted(at, {.upper = upper, .root = root}, n);
        without_root(at, n);
    }
    MPI_Request request;
    MPI_Ibarrier(at.comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Intercomm_merge(at.comm, at.upper ? 1 : 0, &merged);
    int sum = -1;
    MPI_Allreduce(&world.rank, &sum, 1, MPI_INT, MPI_SUM, merged);
    expect(sum == world.size * (world.size - 1) / 2, "allreduce on a merged communicator");
    for (MPI_Comm* one : {&merged, &at.comm, &half}) MPI_Comm_free(one);
}

}  // namespace conformance
