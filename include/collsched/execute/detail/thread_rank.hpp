#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>

#include "collsched/execute/detail/posted_message.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// State of one rank of a thread_fabric.
struct thread_rank {
    // Other threads write these.
    alignas(128) std::atomic<posted_message*> inbox = nullptr;
    std::atomic<posted_message*> help = nullptr;  ///< a send of this rank that is being copied in chunks
    std::atomic<bool> withdrawals = false;        ///< among what was sent to this rank
    std::atomic<bool> sleeping = false;

    alignas(128) std::mutex lock;
    std::condition_variable bell;

    // Only the thread of the rank accesses these.
    alignas(128) message_pool pool;
    message_table expected;  ///< receives whose send has not come
    message_table offers;    ///< sends to this rank whose receive has not been posted
    message_queue matched;   ///< receives whose send has come
    message_queue done;      ///< sends and receives to be reported

    void push(posted_message& message) {
        posted_message* first = inbox.load(std::memory_order_relaxed);
        do message.next = first;
        while (!inbox.compare_exchange_weak(first, &message));
        if (sleeping) wake();
    }
    void wake() {
        { const std::lock_guard hold(lock); }  // a rank that found nothing goes to sleep under the lock
        bell.notify_one();
    }
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
