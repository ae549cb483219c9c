#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <span>
#include <thread>

#include "collsched/execute/transport_error.hpp"
#include "collsched/execute/detail/posted_message.hpp"
#include "collsched/execute/detail/thread_rank.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Carries messages between threads of one process, one per rank. The receiver copies or combines straight from the
/// sender's memory; both copy a large message if the sender is idle. A waiting thread spins for tens of microseconds,
/// not if there are more ranks than processors, and sleeps then.
///
/// A rank owns the messages that it posts: O(1) memory beside them. A send goes into the receiver's inbox, a list that
/// any thread may push to and that only its rank takes, as a whole. The receiver finds the receive in its own table,
/// copies, and puts the send into the sender's inbox. Locks serve sleep only: the wait of an atomic has no timeout.
class thread_fabric {
  public:
    /// Errors of messages between threads: size_mismatch, disagreement, closed, no_such_rank, combine_failed.
    using error = transport_error;

    /// Fabric without messages. @param ranks  number of ranks, 1 or more
    explicit thread_fabric(rank_t ranks)
        : ranks_(static_cast<std::size_t>(ranks)),
          looks_(static_cast<std::size_t>(ranks) <= std::thread::hardware_concurrency() ? most_looks : 0) {}

    rank_t ranks() const { return static_cast<rank_t>(ranks_.size()); }  ///< number of ranks. @return 1 or more

    /// The transport of one rank, used by one thread at a time. All endpoints of a rank are one.
    class endpoint {
      public:
        /// Transport of a rank. @param fabric  outlives the endpoint @param rank  0 .. ranks()-1
        endpoint(thread_fabric& fabric, rank_t rank)
            : fabric_(&fabric), own_(&fabric.ranks_[static_cast<std::size_t>(rank)]), rank_(rank) {}

        int post_send(const message_key& key, std::span<const send_part> parts);
        int post_recv(const message_key& key, std::span<const receive_part> parts);
        int post_recv_combine(const message_key& key, const combined_part& part);
        /// Copies or combines one message at most, if no completion is ready. @return a completion, or an empty one
        completion poll();
        completion wait_any(std::chrono::nanoseconds timeout);
        /// Withdraws operations, after the end of a copy that a receiver has begun. @param owner  of the operations
        void cancel(const void* owner);

      private:
        int expect(detail::posted_message* receive);
        detail::posted_message* post(const message_key& key, rank_t source, bytes_t size);
        void empty_inbox();
        void sort_in(detail::posted_message& message);
        void receive_one();
        void copy(const detail::posted_message& receive, detail::posted_message& send);
        void combine(detail::posted_message& receive, detail::posted_message& send);
        void finish(detail::posted_message& receive, detail::posted_message& send, int code);
        void help();
        void sleep(std::chrono::steady_clock::time_point until);

        thread_fabric* fabric_;
        detail::thread_rank* own_;
        rank_t rank_;
    };

    endpoint at(rank_t rank) { return {*this, rank}; }  ///< transport of a rank. @param rank  0 .. p-1 @return endpoint

    /// Ends all waits, now and later, with `closed`, where no completion is available.
    void close() {
        closed_ = true;
        for (detail::thread_rank& rank : ranks_) rank.wake();
    }

  private:
    /// How often a thread looks for what it waits for before it sleeps: some tens of microseconds.
    static constexpr int most_looks = 300;
    /// Called between two looks. The first 200 follow each other at once. Later ones yield, since the awaited thread
    /// may need this processor.
    static void pause(int looks) {
        if (looks >= 200) std::this_thread::yield();
    }

    detail::thread_rank& of(rank_t rank) { return ranks_[static_cast<std::size_t>(rank)]; }

    std::deque<detail::thread_rank> ranks_;  // they stay where they are
    int looks_;
    std::atomic<bool> closed_ = false;
};

inline detail::posted_message* thread_fabric::endpoint::post(const message_key& key, rank_t source, bytes_t size) {
    if (key.peer < 0 || key.peer >= fabric_->ranks()) return nullptr;
    detail::message_pool& pool = own_->pool;
    const std::size_t before = pool.size();
    detail::posted_message& message = pool.take(key);
    if (pool.size() != before) {
        own_->expected.expect(pool.size());
        own_->offers.expect(pool.size());
    }
    message.source = source;
    message.size = size;
    return &message;
}

inline int thread_fabric::endpoint::post_send(const message_key& key, std::span<const send_part> parts) {
    detail::posted_message* const message = post(key, rank_, total_bytes(parts));
    if (message == nullptr) return error::no_such_rank;
    message->from = parts;
    message->now.store(detail::posted_message::stage::offered, std::memory_order_relaxed);
    fabric_->of(key.peer).push(*message);
    return 0;
}

inline int thread_fabric::endpoint::post_recv(const message_key& key, std::span<const receive_part> parts) {
    detail::posted_message* const message = post(key, key.peer, total_bytes(parts));
    if (message != nullptr) message->into = parts;
    return expect(message);
}

inline int thread_fabric::endpoint::post_recv_combine(const message_key& key, const combined_part& part) {
    detail::posted_message* const message = post(key, key.peer, part.into.size);
    if (message != nullptr) message->combined = part;
    return expect(message);
}

inline int thread_fabric::endpoint::expect(detail::posted_message* receive) {
    if (receive == nullptr) return error::no_such_rank;
    receive->send = own_->offers.extract(*receive);
    if (receive->send != nullptr) own_->matched.push(*receive);
    else own_->expected.insert(*receive);
    return 0;
}

inline completion thread_fabric::endpoint::poll() {
    if (own_->done.empty()) empty_inbox();
    if (own_->done.empty()) receive_one();
    if (own_->done.empty()) help();
    if (own_->done.empty()) return {};
    detail::posted_message& message = own_->done.pop();
    const completion done{message.key.request, message.error, message.key.peer};
    own_->pool.give_back(message);
    return done;
}

inline void thread_fabric::endpoint::empty_inbox() {
    // In this order: what was withdrawn before this moment is in the inbox or in the table.
    const bool withdrawals = own_->withdrawals.load(std::memory_order_relaxed) && own_->withdrawals.exchange(false);
    if (own_->inbox.load(std::memory_order_relaxed) != nullptr) {
        detail::posted_message* oldest = nullptr;
        for (detail::posted_message* message = own_->inbox.exchange(nullptr); message != nullptr;) {
            detail::posted_message* const before = message->next;
            message->next = oldest;
            oldest = message;
            message = before;
        }
        while (oldest != nullptr) {
            detail::posted_message& message = *oldest;
            oldest = message.next;
            sort_in(message);
        }
    }
    if (!withdrawals) return;
    own_->offers.remove_if(
        [](const detail::posted_message& message) { return message.now == detail::posted_message::stage::withdrawn; },
        [this](detail::posted_message& message) { fabric_->of(message.source).push(message); });
}

/// One end of a message that came: a send of another rank, or one of this rank that comes back.
inline void thread_fabric::endpoint::sort_in(detail::posted_message& message) {
    const detail::posted_message::stage now = message.now.load(std::memory_order_acquire);
    if (now == detail::posted_message::stage::offered) {
        detail::posted_message* const receive = own_->expected.extract(message);
        if (receive == nullptr) return own_->offers.insert(message);
        receive->send = &message;
        own_->matched.push(*receive);
    } else if (message.source != rank_) {
        fabric_->of(message.source).push(message);
    } else if (message.key.request.owner == nullptr) {
        own_->pool.give_back(message);
    } else {
        own_->done.push(message);
    }
}

inline void thread_fabric::endpoint::receive_one() {
    while (!own_->matched.empty()) {
        detail::posted_message& receive = own_->matched.pop();
        detail::posted_message& send = *receive.send;
        auto offered = detail::posted_message::stage::offered;
        if (!send.now.compare_exchange_strong(offered, detail::posted_message::stage::taken_up)) {
            sort_in(send);
            own_->expected.insert(receive);
            continue;
        }
        const bool differ = send.key.fingerprint != receive.key.fingerprint;
        const bool divided = receive.combined.op != nullptr && send.from.size() != 1;
        const int code = differ ? error::disagreement : send.size != receive.size || divided ? error::size_mismatch : 0;
        if (code == 0 && receive.combined.op != nullptr) return combine(receive, send);
        if (code == 0) copy(receive, send);
        return finish(receive, send, code);
    }
}

/// Reports the end of both ends, each to its rank.
inline void thread_fabric::endpoint::finish(detail::posted_message& receive, detail::posted_message& send, int code) {
    receive.error = send.error = code;
    own_->done.push(receive);
    send.now.store(detail::posted_message::stage::returned, std::memory_order_release);
    fabric_->of(send.source).push(send);
}

inline void thread_fabric::endpoint::combine(detail::posted_message& receive, detail::posted_message& send) {
#if COLLSCHED_EXCEPTIONS
    try {
        receive.combined.combine(send.from[0].data);
    } catch (...) {
        finish(receive, send, error::combine_failed);
        throw;
    }
#else
    receive.combined.combine(send.from[0].data);
#endif
    finish(receive, send, 0);
}

inline void thread_fabric::endpoint::copy(const detail::posted_message& receive, detail::posted_message& send) {
    if (send.size <= 2 * detail::posted_message::chunk || fabric_->looks_ == 0) {
        part_cursor from(send.from);
        part_cursor into(receive.into);
        return copy_bytes(from, into, send.size);
    }
    send.open_chunks(receive.into);
    fabric_->of(send.source).help.store(&send, std::memory_order_release);
    send.copy_chunks();
    for (int looks = 0; !send.close_chunks(); ++looks) pause(looks);
}

/// Takes a share in the copying of an own send. It may have been returned since: it has no chunks then.
inline void thread_fabric::endpoint::help() {
    if (own_->help.load(std::memory_order_relaxed) == nullptr) return;
    if (detail::posted_message* const send = own_->help.exchange(nullptr)) send->copy_chunks();
}

inline completion thread_fabric::endpoint::wait_any(std::chrono::nanoseconds timeout) {
    using clock = std::chrono::steady_clock;
    const auto until = timeout < forever / 2 ? clock::now() + timeout : clock::time_point::max();
    for (int looks = 0;; ++looks) {
        if (const completion done = poll(); done.request.owner != nullptr) return done;
        if (fabric_->closed_) return {.request = {}, .error = error::closed};
        if (timeout.count() <= 0 || (until != clock::time_point::max() && clock::now() >= until)) return {};
        if (looks < fabric_->looks_) {
            pause(looks);
        } else {
            sleep(until);
            looks = 0;
        }
    }
}

/// Until something is in the inbox, the fabric is closed, or the time is up.
inline void thread_fabric::endpoint::sleep(std::chrono::steady_clock::time_point until) {
    const auto awake = [this] { return own_->inbox.load() != nullptr || fabric_->closed_; };
    std::unique_lock hold(own_->lock);
    own_->sleeping = true;  // before the look into the inbox: who pushes later sees it
    if (until == std::chrono::steady_clock::time_point::max()) own_->bell.wait(hold, awake);
    else own_->bell.wait_until(hold, until, awake);
    own_->sleeping = false;
}

inline void thread_fabric::endpoint::cancel(const void* owner) {
    detail::thread_rank& own = *own_;
    const auto owned = [owner](const detail::posted_message& message) { return message.key.request.owner == owner; };
    const auto give_back = [&own](detail::posted_message& message) { own.pool.give_back(message); };
    own.done.remove_if(owned, give_back);
    own.expected.remove_if(owned, give_back);
    own.matched.remove_if(owned, [&](detail::posted_message& message) {
        sort_in(*message.send);
        give_back(message);
    });
    // The remaining messages are sends that their receivers hold. They come back to the pool through the inbox.
    own.pool.for_each_of(owner, [&](detail::posted_message& message) {
        message.key.request = {};
        message.withdraw(fabric_->of(message.key.peer).withdrawals);
        for (int looks = 0; message.now.load(std::memory_order_acquire) == detail::posted_message::stage::taken_up;
             ++looks)
            pause(looks);
    });
}

}}  // namespace collsched::COLLSCHED_ABI
