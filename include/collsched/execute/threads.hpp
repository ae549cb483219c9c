#pragma once

#include <condition_variable>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "collsched/execute/memory_fabric.hpp"
#include "collsched/execute/rank_memory.hpp"

namespace collsched {

/// Every rank a thread of one process; who waits sleeps.
struct thread_sync {
    using mutex = std::mutex;
    class condition {
      public:
        void notify_all() { changed_.notify_all(); }
        template <class Ready>
        bool wait(std::unique_lock<std::mutex>& hold, Ready ready) {
            changed_.wait(hold, ready);
            return true;
        }

      private:
        std::condition_variable changed_;
    };
};

using thread_fabric = memory_fabric<thread_sync>;

/// Runs a schedule with one thread a rank, `repeat` times with the same plans. Of the failures that of the lowest rank, or
/// done. A rank that fails leaves the others waiting for it, so all but the first failure of a rank are its own.
template <schedulable X>
status run_threads(const X& x, std::span<const rank_memory> memory, binding how = binding::separate, reduction op = {},
                   int repeat = 1) {
    thread_fabric fabric(lower(x).ranks);
    std::vector<status> ends(memory.size());
    const auto run_rank = [&](std::size_t r) {
        equipped_plan own(x, static_cast<rank_t>(r), memory[r], how);
        if ((ends[r] = own.trouble()).failed()) return;
        auto endpoint = fabric.at(static_cast<rank_t>(r));
        execution<thread_fabric::endpoint> running(own.what(), endpoint);
        for (int i = 0; i < repeat && !ends[r].failed(); ++i) {
            running.start(own.buffers(), op);
            ends[r] = running.wait();
        }
    };
    std::vector<std::jthread> threads;
    try {
        for (std::size_t r = 0; r < memory.size(); ++r) threads.emplace_back(run_rank, r);
    } catch (...) {  // no more threads: those that run would wait for the others for ever
        fabric.close();
        throw;
    }
    for (std::jthread& t : threads) t.join();
    for (const status& end : ends)
        if (end.failed()) return end;
    return {.now = status::state::done};
}

}  // namespace collsched
