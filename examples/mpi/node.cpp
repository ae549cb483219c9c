#include "node.hpp"

#include <sched.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <numeric>

#include "environment.hpp"

namespace collsched::preload {

namespace {

/// Largest memory of a node, and smallest ring, in bytes.
constexpr bytes_t most_ring_memory = bytes_t{64} << 20, smallest_ring = 4096, largest_ring = 131072;

/// Memory of the ranks of MPI_COMM_WORLD on this node. It lasts until the process ends.
struct shared_node {
    MPI_Group ranks = MPI_GROUP_NULL;
    process_group group;
    std::optional<node_transport> messages;
    bool crowded = false;  ///< more ranks than processors
};
shared_node& node() {
    static auto* const kept = new shared_node;  // no destructor: the process may end without MPI_Finalize
    return *kept;
}

/// Returns the size of a ring between two ranks, or 0 if there are too many ranks.
bytes_t ring_of(rank_t ranks) {
    const bytes_t share = most_ring_memory / std::max<rank_t>(1, ranks * (ranks - 1));
    if (share < smallest_ring) return 0;
    return std::min(largest_ring, static_cast<bytes_t>(std::bit_floor(static_cast<std::uint64_t>(share))));
}

/// Returns whether the ranks outnumber the processors that any of them may use.
bool outnumber_processors(MPI_Comm beside, int ranks) {
    constexpr std::size_t words = sizeof(cpu_set_t) / sizeof(unsigned long);
    cpu_set_t mine;
    CPU_ZERO(&mine);
    sched_getaffinity(0, sizeof mine, &mine);
    std::array<unsigned long, words> all = std::bit_cast<std::array<unsigned long, words>>(mine);
    PMPI_Allreduce(MPI_IN_PLACE, all.data(), static_cast<int>(words), MPI_UNSIGNED_LONG, MPI_BOR, beside);
    int processors = 0;
    for (const unsigned long word : all) processors += std::popcount(word);
    return processors > 0 && ranks > processors;
}

/// Joins the group of the node. The failure is that of this rank alone.
process_group::join_error join(MPI_Comm beside, int rank, int ranks, shared_memory_use use) {
    std::array<std::uint64_t, 2> drawn{};
    if (rank == 0 && ::getrandom(drawn.data(), sizeof drawn, 0) != static_cast<ssize_t>(sizeof drawn)) drawn = {};
    PMPI_Bcast(drawn.data(), 2, MPI_UINT64_T, 0, beside);
    if (drawn[0] == 0 && drawn[1] == 0) return {EAGAIN, "getrandom"};
    if (ring_of(ranks) == 0) return {ENOMEM, "too many ranks"};
    char name[64];
    std::snprintf(name, sizeof name, "/collsched-%016llx%016llx", static_cast<unsigned long long>(drawn[0]),
                  static_cast<unsigned long long>(drawn[1]));
    return node().group.join(name, ranks, rank,
                             {.ring_bytes = ring_of(ranks),
                              .single_copy = use == shared_memory_use::single_copy,
                              .single_copy_from = node_transport::single_copy_from});
}

void report_failure(const process_group::join_error& failure) {
    if (verbose() && failure)
        std::fprintf(stderr, "collsched: shared memory: %s: %s\n", failure.object, std::strerror(failure.number));
}

/// Reports the use of single copy: every rank decides on the messages that it receives.
void report_single_copy(MPI_Comm beside, shared_memory_use use) {
    if (use != shared_memory_use::single_copy) {
        if (node().group.rank() == 0 && verbose())
            std::fprintf(stderr, "collsched: shared memory: rings for messages of any length\n");
        return;
    }
    const rank_t unreadable = node().messages->first_unreadable();
    const int reason = errno;
    int all = unreadable < 0 ? 1 : 0;
    PMPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, beside);
    if (unreadable >= 0 && verbose())
        std::fprintf(stderr, "collsched: shared memory: no single copy from rank %d of the node: %s\n",
                     static_cast<int>(unreadable),
                     reason != 0 ? std::strerror(reason) : "a process of another user or with protected memory");
    if (node().group.rank() == 0 && verbose())
        std::fprintf(stderr, "collsched: shared memory: single copy of long messages%s\n",
                     all != 0 ? "" : " where the kernel permits it");
}

}  // namespace

void join_node(MPI_Comm beside, shared_memory_use use) {
    int rank = 0, ranks = 1;
    PMPI_Comm_rank(beside, &rank);
    PMPI_Comm_size(beside, &ranks);
    if (ranks == 1) return;
    const process_group::join_error failure = join(beside, rank, ranks, use);
    report_failure(failure);
    int joined = failure ? 0 : 1;
    PMPI_Allreduce(MPI_IN_PLACE, &joined, 1, MPI_INT, MPI_MIN, beside);
    node().crowded = outnumber_processors(beside, ranks);
    if (joined == 0) return node().group.leave();
    node().messages.emplace(node().group);
    PMPI_Comm_group(beside, &node().ranks);
    report_single_copy(beside, use);
}

bool shares_memory() { return node().messages.has_value(); }
bool is_crowded() { return node().crowded; }

std::optional<node_ranks> node_of(MPI_Comm comm, std::uint64_t number) {
    if (!node().messages) return {};
    int ranks = 0;
    PMPI_Comm_size(comm, &ranks);
    std::vector<int> here(static_cast<std::size_t>(ranks)), there(here);
    std::iota(here.begin(), here.end(), 0);
    MPI_Group group = MPI_GROUP_NULL;
    PMPI_Comm_group(comm, &group);
    PMPI_Group_translate_ranks(group, ranks, here.data(), node().ranks, there.data());
    PMPI_Group_free(&group);
    if (std::ranges::find(there, MPI_UNDEFINED) != there.end()) return {};
    return node_ranks{{there.begin(), there.end()}, number, &*node().messages};
}

void call_transport::contain_misfit(completion& c) {
    if (!is_misfit(c.error)) return;
    misfits->push_back(c.request.owner);
    c.error = 0;
}

int call_transport::note_misfit() const {
    misfits->push_back(owner_);
    return already_complete;
}

int call_transport::take_misfit() { return std::erase(*misfits, owner_) > 0 ? MPI_ERR_TRUNCATE : MPI_SUCCESS; }

/// Returns a message of another length if this rank's data is known to be wrong.
std::span<const message::send_part> call_transport::spoiled_if_wrong(std::span<const message::send_part> parts) const {
    static constexpr std::byte any{};
    static constexpr message::send_part one_byte{&any, 1};
    const bool is_wrong =
        lengths_ == message_lengths::different ||
        (lengths_ == message_lengths::passed_on && std::ranges::find(*misfits, owner_) != misfits->end());
    if (!is_wrong) return parts;
    return total_bytes(parts) > 0 ? std::span<const message::send_part>() : std::span(&one_byte, 1);
}

namespace {

/// Makes progress in the MPI at every 256th poll of all calls together. A call counts as four polls.
void drive_mpi(unsigned polls) {
    static std::atomic<unsigned> since_last = 0;  // threads may lose some
    const unsigned reached = since_last.load(std::memory_order_relaxed) + polls;
    since_last.store(reached < 256 ? reached : 0, std::memory_order_relaxed);
    if (reached < 256) return;
    int flag = 0;
    PMPI_Iprobe(MPI_ANY_SOURCE, 0, the_environment().probed, &flag, MPI_STATUS_IGNORE);
}

}  // namespace

void patience::count_call() {
    if (shares_memory()) drive_mpi(4);
}

void patience::lose() {
    ++lost_;
    if (!shares_memory()) {
        if (lost_ > 200) sched_yield();
        return;
    }
    drive_mpi(1);
    if (lost_ % 8192 == 0) {
        node().messages->find_dead();
        node().messages->find_other_patterns(std::has_single_bit(lost_));
    }
    if (lost_ > (node().crowded ? 2U : 2000U)) sched_yield();
}

}  // namespace collsched::preload
