#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "collsched/execute/processes.hpp"
#include "collsched/execute/rank_memory.hpp"
#include "collsched/schedule/any_schedule.hpp"

/// Zeroed memory that this process and its child processes share.
class shared_pages {
  public:
    explicit shared_pages(std::size_t size);
    shared_pages(const shared_pages&) = delete;
    shared_pages& operator=(const shared_pages&) = delete;
    ~shared_pages();

    std::span<std::byte> bytes() const { return {start_, size_}; }

  private:
    std::byte* start_ = nullptr;
    std::size_t size_;
};

/// Calls f(transport, rank) in `ranks` child processes, which may write to shared pages. Returns whether all ended
/// successfully. Throws if processes cannot be created.
bool run_forked(collsched::rank_t ranks,
                const std::function<void(collsched::process_group::transport&, collsched::rank_t)>& f);

/// Runs a schedule with one child process per rank, `repeat` times with the same plans. `memory` is in shared pages.
/// Returns the final status, or the failure that a rank reported first. Throws if a plan or a process cannot be
/// created.
collsched::run_status run_forked(const collsched::any_schedule& s, std::span<const collsched::rank_memory> memory,
                                 collsched::binding how, collsched::reduction op, int repeat);
