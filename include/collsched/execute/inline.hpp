#pragma once

#include <memory>
#include <span>
#include <vector>

#include "collsched/execute/memory_fabric.hpp"
#include "collsched/execute/rank_memory.hpp"

namespace collsched {

/// No locks: all ranks run in one thread.
struct no_sync {
    struct mutex {
        void lock() {}
        void unlock() {}
    };
    struct condition {
        void notify_all() {}
        template <class Lock, class Ready>
        bool wait(Lock&, Ready ready) {
            return ready();
        }
    };
};

/// All ranks in one thread, deterministic: for tests, and for looking at a schedule at work. A wait for something that only
/// another rank can bring reports would_block: let progress() of all ranks take turns instead.
using inline_fabric = memory_fabric<no_sync>;

/// Runs a schedule for all ranks in the calling thread, `repeat` times with the same plans. The first failure, or done.
/// Wrong parameters, or memory for another number of ranks, throw where exceptions are on.
template <schedulable X>
status run_inline(const X& x, std::span<const rank_memory> memory, binding how = binding::separate, reduction op = {},
                  int repeat = 1) {
    const auto& s = lower(x);
    if (refuse_if(check_run(s, memory))) return {.now = status::state::failed, .error = bad_plan};
    inline_fabric fabric(s.ranks);
    std::vector<std::unique_ptr<equipped_plan>> plans;
    std::vector<inline_fabric::endpoint> endpoints;
    std::vector<std::unique_ptr<execution<inline_fabric::endpoint>>> executions;
    for (rank_t r = 0; r < fabric.ranks(); ++r) endpoints.push_back(fabric.at(r));
    for (std::size_t r = 0; r < endpoints.size(); ++r) {
        plans.push_back(std::make_unique<equipped_plan>(s, static_cast<rank_t>(r), memory[r], how));
        if (status wrong = plans.back()->trouble(); wrong.failed()) return wrong;
        executions.push_back(std::make_unique<execution<inline_fabric::endpoint>>(plans[r]->what(), endpoints[r]));
    }
    for (int i = 0; i < repeat; ++i) {
        for (std::size_t r = 0; r < endpoints.size(); ++r) executions[r]->start(plans[r]->buffers(), op);
        for (bool running = true; running;) {
            running = false;
            for (auto& one : executions) {
                if (one->progress().failed()) return one->state();
                running = running || !one->state().done();
            }
        }
    }
    return {.now = status::state::done};
}

}  // namespace collsched
