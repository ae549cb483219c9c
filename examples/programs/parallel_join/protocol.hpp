// The messages between the master, rank 0, and the nodes, rank 1 on: node n of the exchange is rank n + 1.
#pragma once

#include <mpi.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <thread>
#include <vector>

#include "collsched/core/rank.hpp"

/// Tags of the messages, with their content.
enum message_tag : int {
    ready_tag,     ///< node to master: its work is done
    done_tag,      ///< node to master: {sub-round}, its targets have received its rows of the sub-round
    send_tag,      ///< master to node: {sub-round, targets...}
    lost_tag,      ///< master to nodes: {node}, which is lost: it neither sends nor receives from then on
    finished_tag,  ///< master to nodes: {whether the receiver is part of the result}, the exchange is over
    data_tag,      ///< node to node: rows of both relations
    result_tag,    ///< node to master: {pairs, sum, messages sent, rows sent}
};

using words = std::vector<std::int64_t>;

/// A received message.
struct message {
    int tag = 0;
    collsched::rank_t node = 0;  ///< sender; -1 is the master
    words content;
};

/// Returns the rank of a node.
inline int rank_of(collsched::rank_t node) { return static_cast<int>(node) + 1; }

/// Returns a message that has arrived, or nothing. Does not wait.
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

/// Sends a message to a rank.
inline void notify(int rank, message_tag tag, const words& content = {}) {
    MPI_Send(content.data(), static_cast<int>(content.size()), MPI_INT64_T, rank, tag, MPI_COMM_WORLD);
}

/// Waits between two polls, so that other processes can use the processor.
inline void rest() { std::this_thread::sleep_for(std::chrono::microseconds(200)); }

/// Returns the time in microseconds since an arbitrary origin.
inline std::int64_t microseconds() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}
