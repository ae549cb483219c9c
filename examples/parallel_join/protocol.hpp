// The messages between the master, rank 0, and the nodes, rank 1 on: node n of the exchange is rank n + 1.
#pragma once

#include <mpi.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <thread>
#include <vector>

#include "collsched/core/rank.hpp"

enum message_tag : int {
    ready_tag,     ///< node to master: its work is done
    done_tag,      ///< node to master: {sub-round}, its targets have all it was told to send
    send_tag,      ///< master to node: {sub-round, targets...}
    lost_tag,      ///< master to nodes: {node}, which counts no more: it will not send, and nobody sends to it
    finished_tag,  ///< master to nodes: {whether the receiver still counts}, the exchange is over
    data_tag,      ///< node to node: rows of both relations
    result_tag,    ///< node to master: {pairs, sum, messages sent, rows sent}
};

using words = std::vector<std::int64_t>;

struct message {
    int tag = 0;
    collsched::rank_t node = 0;  ///< who sent it; -1 is the master
    words content;
};

inline int rank_of(collsched::rank_t node) { return static_cast<int>(node) + 1; }

/// What has arrived, if anything has. Never waits for a sender.
inline std::optional<message> receive() {
    int arrived = 0, size = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &arrived, &status);
    if (arrived == 0) return std::nullopt;
    MPI_Get_count(&status, MPI_INT64_T, &size);
    message one{status.MPI_TAG, status.MPI_SOURCE - 1, words(static_cast<std::size_t>(size))};
    MPI_Recv(one.content.data(), size, MPI_INT64_T, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    return one;
}

inline void tell(int rank, message_tag tag, const words& content = {}) {
    MPI_Send(content.data(), static_cast<int>(content.size()), MPI_INT64_T, rank, tag, MPI_COMM_WORLD);
}

/// Between two looks at what has arrived, so that waiting leaves the processor to others.
inline void rest() { std::this_thread::sleep_for(std::chrono::microseconds(200)); }

inline std::int64_t microseconds() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}
