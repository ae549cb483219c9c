#include "private_communicator.hpp"

#include <algorithm>
#include <array>
#include <atomic>
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
std::atomic<long> last_number = 0;

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

private_communicator private_communicator::reserve(MPI_Comm programs) {
    std::vector<private_communicator> all;
    {
        const std::lock_guard hold(lock);
        all = kept;
    }
    for (std::size_t i = all.size(); i-- > 0;) {
        if (!has_ranks_of(all[i].comm, programs)) continue;
        const std::lock_guard hold(lock);
        const auto found = std::ranges::find(kept, all[i].number, &private_communicator::number);
        if (found == kept.end()) continue;
        kept.erase(found);
        return all[i];
    }
    return {};
}

agreed_numbers private_communicator::proposal() const { return {number, -number, last_number}; }

void private_communicator::decide(const agreed_numbers& maxima) {
    if (comm != MPI_COMM_NULL && maxima[0] == -maxima[1]) return;  // all ranks have the same
    give_back(false);
    number = maxima[2] + 1;
    last_number = std::max(last_number.load(), number);
}

void private_communicator::make(MPI_Comm programs) {
    if (number == 0) {
        *this = reserve(programs);
        agreed_numbers maxima = proposal();
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
