#include "machine.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include <fmt/format.h>

using namespace collsched;

machine::machine(watchdog& watch) : watch_(watch) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    MPI_Comm node = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node);
    int first = rank_;
    MPI_Bcast(&first, 1, MPI_INT, 0, node);
    MPI_Comm_free(&node);
    std::vector<int> firsts(static_cast<std::size_t>(size_));
    MPI_Allgather(&first, 1, MPI_INT, firsts.data(), 1, MPI_INT, MPI_COMM_WORLD);
    std::vector<int> seen;
    for (const int one : firsts) {
        if (one < 0 || one >= size_) abort(fmt::format("node: got rank {}, expected 0..{}", one, size_ - 1));
        const auto found = std::ranges::find(seen, one);
        nodes_.push_back(found - seen.begin());
        if (found == seen.end()) seen.push_back(one);
    }
}

machine::~machine() {
    for (auto& [ranks, communicator] : communicators_)
        if (communicator != MPI_COMM_NULL) MPI_Comm_free(&communicator);
}

void machine::divide(std::span<const std::int64_t> ranks) {
    for (const std::int64_t n : ranks) {
        MPI_Comm made = MPI_COMM_NULL;
        MPI_Comm_split(MPI_COMM_WORLD, rank_ < n ? 0 : MPI_UNDEFINED, rank_, &made);
        communicators_.emplace_back(n, made);
    }
}

MPI_Comm machine::first(std::int64_t ranks) const {
    const auto found = std::ranges::find(communicators_, ranks, &std::pair<std::int64_t, MPI_Comm>::first);
    return found == communicators_.end() ? MPI_COMM_NULL : found->second;
}

topology::placement machine::place(rank_t ranks) const {
    const auto used = std::span(nodes_).first(static_cast<std::size_t>(ranks));
    return topology::placement::list(used, std::ranges::max(used) + 1);
}

void machine::broadcast(std::span<std::int64_t> numbers) const {
    constexpr std::chrono::microseconds pause(200);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibcast(numbers.data(), static_cast<int>(numbers.size()), MPI_INT64_T, 0, MPI_COMM_WORLD, &request);
    for (int complete = 0; complete == 0;) {
        MPI_Test(&request, &complete, MPI_STATUS_IGNORE);
        if (complete == 0) std::this_thread::sleep_for(pause);
    }
    watch_.progress();
}

void machine::abort(const std::string& line, int status) {
    std::fputs(fmt::format("mpi_tune: {}\n", line).c_str(), stderr);
    MPI_Abort(MPI_COMM_WORLD, status);
    std::_Exit(status);
}
