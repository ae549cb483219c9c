#include "kept_states.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

#include "communicator_state.hpp"

namespace collsched::preload {

namespace {

/// Largest number that are kept: the MPI has a limited number of communicators.
constexpr std::size_t most_kept = 8;

struct kept_states {
    /// MPI may hold locks when it frees an attribute, so no function of MPI is called while this one is held.
    std::mutex lock;
    std::vector<std::unique_ptr<communicator_state>> all;  // the oldest is first
    std::atomic<long> drawn = 0;
};
kept_states& kept() {
    static auto* const made = new kept_states;  // no destructor: the process may end without MPI_Finalize
    return *made;
}

/// Removes the oldest state if there are more than `most`.
std::unique_ptr<communicator_state> remove_oldest(std::size_t most) {
    const std::lock_guard hold(kept().lock);
    if (kept().all.size() <= most) return nullptr;
    std::unique_ptr<communicator_state> removed = std::move(kept().all.front());
    kept().all.erase(kept().all.begin());
    return removed;
}

void keep(std::unique_ptr<communicator_state> one) {
    {
        const std::lock_guard hold(kept().lock);
        kept().all.push_back(std::move(one));
    }
    remove_oldest(most_kept);
}

/// Takes the state at an index from the newest, or none.
std::unique_ptr<communicator_state> remove_newest(std::size_t index) {
    const std::lock_guard hold(kept().lock);
    if (index >= kept().all.size()) return nullptr;
    const auto found = kept().all.end() - 1 - static_cast<std::ptrdiff_t>(index);
    std::unique_ptr<communicator_state> removed = std::move(*found);
    kept().all.erase(found);
    return removed;
}

/// Draws a number, which no other rank of MPI_COMM_WORLD draws.
long draw() {
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return (long{rank} + 1) << 32 | (kept().drawn.fetch_add(1) & 0xffffffff);
}

bool has_ranks_of(MPI_Comm comm, MPI_Comm other) {
    int result = MPI_UNEQUAL;
    return PMPI_Comm_compare(comm, other, &result) == MPI_SUCCESS && result == MPI_CONGRUENT;
}

}  // namespace

next_state::next_state(MPI_Comm comm) {
    std::vector<std::unique_ptr<communicator_state>> others;
    for (auto one = remove_newest(0); one != nullptr; one = remove_newest(0)) {
        if (has_ranks_of(comm, one->own())) {
            kept_ = std::move(one);
            break;
        }
        others.push_back(std::move(one));
    }
    while (!others.empty()) {
        keep(std::move(others.back()));
        others.pop_back();
    }
    int rank = 0;
    PMPI_Comm_rank(comm, &rank);
    if (rank == 0) drawn_ = draw();
}

next_state::~next_state() {
    if (kept_ != nullptr) keep(std::move(kept_));
}

agreed_numbers next_state::proposal() const {
    const long number = kept_ == nullptr ? 0 : kept_->number(), history = kept_ == nullptr ? 0 : kept_->history();
    return {number, -number, history, -history, drawn_};
}

void next_state::decide(const agreed_numbers& maxima) {
    number_ = maxima[4];
    const bool is_common = maxima[0] == -maxima[1] && maxima[2] == -maxima[3];
    if (kept_ != nullptr && !is_common) keep(std::move(kept_));
}

void next_state::decide_over(MPI_Comm comm) {
    agreed_numbers maxima = proposal();
    PMPI_Allreduce(MPI_IN_PLACE, maxima.data(), static_cast<int>(maxima.size()), MPI_LONG, MPI_MAX, comm);
    decide(maxima);
}

std::shared_ptr<communicator_state> next_state::take() {
    if (kept_ == nullptr) return nullptr;
    return {kept_.release(), retire};
}

void retire(communicator_state* one) {
    std::unique_ptr<communicator_state> owned(one);
    if (owned->rest()) keep(std::move(owned));
}

void delete_kept() {
    while (remove_oldest(0) != nullptr) continue;
}

}  // namespace collsched::preload
