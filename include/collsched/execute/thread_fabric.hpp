#pragma once

#include <chrono>
#include <deque>
#include <span>

#include "collsched/execute/shared_memory/detail/thread_group.hpp"
#include "collsched/execute/shared_memory/transport.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Carries messages between threads of one process, one per rank, as shared_memory_transport does. Memory for each pair of
/// ranks and direction: a ring of 32 KiB, and 254 KiB for messages that wait for their receives, which are not touched before
/// they are used; in fabrics of more than 8 ranks 4 and 30 KiB, from their first message on.
class thread_fabric {
    using rank_transport = detail::shared_memory_transport<detail::thread_group>;

  public:
    /// Errors of messages between threads: size_mismatch, disagreement, withdrawn, closed, no_such_rank, combine_failed.
    using error = message::error;

    /// Fabric without messages. @param ranks  number of ranks, 1 or more
    explicit thread_fabric(rank_t ranks) : memory_(ranks) {
        for (rank_t r = 0; r < ranks; ++r) ranks_.emplace_back(memory_, r);
    }

    rank_t ranks() const { return memory_.ranks(); }  ///< number of ranks. @return 1 or more

    /// The transport of one rank, used by one thread at a time. All endpoints of a rank are one.
    class endpoint {
      public:
        /// Transport of a rank. @param fabric  outlives the endpoint @param rank  0 .. ranks()-1
        endpoint(thread_fabric& fabric, rank_t rank)
            : transport_(&fabric.ranks_[static_cast<std::size_t>(rank)].transport) {}

        int post_send(const message::key& key, std::span<const message::send_part> parts) {
            return transport_->post_send(key, parts);
        }
        int post_recv(const message::key& key, std::span<const message::receive_part> parts) {
            return transport_->post_recv(key, parts);
        }
        int post_recv_combine(const message::key& key, const message::combined_part& part) {
            return transport_->post_recv_combine(key, part);
        }
        /// Copies or combines one message at most, if no completion is ready. @return a completion, or an empty one
        completion poll() { return transport_->poll(); }
        completion wait_any(std::chrono::nanoseconds timeout) { return transport_->wait_any(timeout); }
        message::buffered_sends buffered() const { return transport_->buffered(); }  ///< as shared_memory_transport
        /// Called when all operations of an owner are complete. @param owner  of the operations
        void ended(const void* owner) { transport_->ended(owner); }
        /// Withdraws operations, after the end of a copy that a receiver has begun. @param owner  of the operations
        void cancel(const void* owner) { transport_->cancel(owner); }

      private:
        rank_transport* transport_;
    };

    endpoint at(rank_t rank) { return {*this, rank}; }  ///< transport of a rank. @param rank  0 .. p-1 @return endpoint

    /// Ends all waits, now and later, with `closed`, where no completion is available.
    void close() { memory_.close(); }

  private:
    struct member {
        member(detail::thread_memory& memory, rank_t rank) : group(memory, rank), transport(group) {}
        detail::thread_group group;
        rank_transport transport;
    };

    detail::thread_memory memory_;
    std::deque<member> ranks_;  // they stay where they are
};

}}  // namespace collsched::COLLSCHED_ABI
