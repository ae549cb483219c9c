#pragma once

#include <atomic>
#include <cstddef>
#include <cstring>
#include <deque>
#include <mutex>
#include <vector>

#include "collsched/execute/transport.hpp"

namespace collsched {

/// Errors of the transports that share memory.
enum memory_fabric_error : int {
    size_mismatch = 1,  ///< a send and its receive are of different sizes
    would_block = 2,    ///< nothing is complete and nobody else can run: waiting would never end
    closed = 3,         ///< the fabric was closed while a rank waited
};

/// Carries messages between ranks of one process: whoever comes second, sender or receiver, copies straight from the
/// sender's to the receiver's memory. `Sync` brings a mutex and a condition variable, or none for a single thread.
template <class Sync>
class memory_fabric {
  public:
    explicit memory_fabric(rank_t ranks) : boxes_(static_cast<std::size_t>(ranks)) {}
    rank_t ranks() const { return static_cast<rank_t>(boxes_.size()); }

    /// The transport of one rank.
    class endpoint {
      public:
        endpoint(memory_fabric& fabric, rank_t rank) : fabric_(&fabric), rank_(rank) {}

        int post_send(const message_key& key, const std::byte* data, bytes_t size) {
            return fabric_->post_send(rank_, key, data, size);
        }
        int post_recv(const message_key& key, std::byte* data, bytes_t size) {
            return fabric_->post_recv(rank_, key, data, size);
        }
        completion poll() { return fabric_->take(rank_, false); }
        completion wait_any() { return fabric_->take(rank_, true); }
        void cancel() { fabric_->cancel(rank_); }

      private:
        memory_fabric* fabric_;
        rank_t rank_;
    };

    endpoint at(rank_t rank) { return {*this, rank}; }

    /// Whoever waits now or later for what has not come is told that nothing more will.
    void close() {
        for (box& where : boxes_) {
            const std::lock_guard hold(where.lock);
            where.open = false;
        }
        for (box& where : boxes_) where.changed.notify_all();
    }

  private:
    struct posted {
        rank_t src = 0, dst = 0;
        std::uint64_t generation = 0;
        std::int64_t sequence = 0;
        std::int64_t token = 0;
        const std::byte* from = nullptr;
        std::byte* into = nullptr;
        bytes_t size = 0;

        bool matches(const posted& other) const {
            return src == other.src && dst == other.dst && generation == other.generation && sequence == other.sequence;
        }
    };

    /// What has been posted to a rank and not yet met its other end, and what is complete there.
    struct box {
        typename Sync::mutex lock;
        typename Sync::condition changed;
        std::vector<posted> sends, receives;
        std::vector<completion> done;
        std::size_t next_done = 0;
        bool open = true;
        std::atomic<int> copying = 0;  // copies under way from or into memory that this rank posted
    };

    box& of(rank_t rank) { return boxes_[static_cast<std::size_t>(rank)]; }

    int post_send(rank_t src, const message_key& key, const std::byte* data, bytes_t size) {
        return meet({src, key.peer, key.generation, key.sequence, key.token, data, nullptr, size}, true);
    }
    int post_recv(rank_t dst, const message_key& key, std::byte* data, bytes_t size) {
        return meet({key.peer, dst, key.generation, key.sequence, key.token, nullptr, data, size}, false);
    }

    /// Finds the other end in the receiver's box, or leaves this one there.
    int meet(const posted& mine, bool sends) {
        posted other;
        {
            box& where = of(mine.dst);
            const std::lock_guard hold(where.lock);
            std::vector<posted>& theirs = sends ? where.receives : where.sends;
            std::size_t i = 0;
            while (i < theirs.size() && !theirs[i].matches(mine)) ++i;
            if (i == theirs.size()) {
                (sends ? where.sends : where.receives).push_back(mine);
                return 0;
            }
            other = theirs[i];
            theirs[i] = theirs.back();
            theirs.pop_back();
            ++of(sends ? mine.dst : mine.src).copying;
        }
        const posted& send = sends ? mine : other;
        const posted& receive = sends ? other : mine;
        const int error = send.size == receive.size ? 0 : size_mismatch;
        if (error == 0 && send.size > 0) std::memcpy(receive.into, send.from, static_cast<std::size_t>(send.size));
        tell(sends ? receive.dst : send.src, {other.token, error}, true);
        tell(sends ? send.src : receive.dst, {mine.token, error}, false);
        return 0;
    }

    void tell(rank_t rank, const completion& what, bool copied) {
        box& where = of(rank);
        {
            const std::lock_guard hold(where.lock);
            where.done.push_back(what);
            if (copied) --where.copying;
        }
        where.changed.notify_all();
    }

    completion take(rank_t rank, bool block) {
        box& where = of(rank);
        std::unique_lock hold(where.lock);
        if (block && !where.changed.wait(hold, [&] { return where.next_done < where.done.size() || !where.open; }))
            return {-1, would_block};
        if (where.next_done == where.done.size()) return block ? completion{-1, closed} : completion{};
        const completion first = where.done[where.next_done++];
        if (where.next_done == where.done.size()) {
            where.done.clear();
            where.next_done = 0;
        }
        return first;
    }

    void cancel(rank_t rank) {
        for (box& where : boxes_) {
            const std::lock_guard hold(where.lock);
            std::erase_if(where.sends, [&](const posted& one) { return one.src == rank; });
            std::erase_if(where.receives, [&](const posted& one) { return one.dst == rank; });
        }
        box& own = of(rank);
        std::unique_lock hold(own.lock);
        own.changed.wait(hold, [&] { return own.copying == 0; });
        own.done.clear();
        own.next_done = 0;
    }

    std::deque<box> boxes_;  // boxes stay where they are
};

}  // namespace collsched
