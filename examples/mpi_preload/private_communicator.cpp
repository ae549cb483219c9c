#include "private_communicator.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <mutex>
#include <vector>

#include "environment.hpp"

namespace collsched::preload {

namespace {

/// Largest number that are kept: the MPI has a limited number of communicators.
constexpr std::size_t most_kept = 8;

/// MPI may hold locks when it frees an attribute, so no function of MPI is called while this one is held.
std::mutex lock;
std::vector<private_communicator> kept;  // the oldest is first
std::atomic<long> last_number = 0;       // drawn by this rank

/// Removes the oldest one from those that are kept; without a communicator: there is none.
private_communicator remove_oldest() {
    const std::lock_guard hold(lock);
    if (kept.empty()) return {};
    const private_communicator removed = kept.front();
    kept.erase(kept.begin());
    return removed;
}

bool has_ranks_of(MPI_Comm comm, MPI_Comm other) {
    int result = MPI_UNEQUAL;
    return PMPI_Comm_compare(comm, other, &result) == MPI_SUCCESS && result == MPI_CONGRUENT;
}

}  // namespace

/// Takes all out while it compares them, since another thread may free what it finds there. That thread then finds none.
private_communicator private_communicator::reserve(MPI_Comm programs) {
    std::vector<private_communicator> all;
    {
        const std::lock_guard hold(lock);
        all.swap(kept);
    }
    const auto found = std::find_if(all.rbegin(), all.rend(),
                                    [&](const private_communicator& one) { return has_ranks_of(one.comm, programs); });
    private_communicator reserved;
    if (found != all.rend()) {
        reserved = *found;
        all.erase(std::next(found).base());
    }
    const std::lock_guard hold(lock);
    kept.insert(kept.begin(), all.begin(), all.end());
    return reserved;
}

agreed_numbers private_communicator::proposal(MPI_Comm programs) const {
    int rank = 0;
    PMPI_Comm_rank(programs, &rank);
    return {number, -number, rank == 0 ? ++last_number : 0};
}

void private_communicator::decide(const agreed_numbers& maxima) {
    if (comm != MPI_COMM_NULL && maxima[0] == -maxima[1]) return;  // all ranks have the same
    give_back(false);
    number = maxima[2];
}

void private_communicator::make(MPI_Comm programs) {
    if (number == 0) {
        *this = reserve(programs);
        agreed_numbers maxima = proposal(programs);
        PMPI_Allreduce(MPI_IN_PLACE, maxima.data(), 3, MPI_LONG, MPI_MAX, programs);
        decide(maxima);
    }
    if (comm != MPI_COMM_NULL) return;
    // MPI_Comm_dup would call the program's functions that copy attributes.
    MPI_Group ranks = MPI_GROUP_NULL;
    PMPI_Comm_group(programs, &ranks);
    if (PMPI_Comm_create(programs, ranks, &comm) != MPI_SUCCESS) comm = MPI_COMM_NULL;
    PMPI_Group_free(&ranks);
    if (comm != MPI_COMM_NULL) PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
}

void private_communicator::give_back(bool failed) {
    if (comm == MPI_COMM_NULL || !mpi_is_up()) return;
    private_communicator spare = *this;
    *this = {};
    if (!failed) {
        const std::lock_guard hold(lock);
        kept.push_back(spare);
        if (kept.size() <= most_kept) return;
    }
    if (!failed) spare = remove_oldest();
    PMPI_Comm_free(&spare.comm);
}

void private_communicator::free_kept() {
    for (auto one = remove_oldest(); one.comm != MPI_COMM_NULL; one = remove_oldest()) PMPI_Comm_free(&one.comm);
}

}  // namespace collsched::preload
