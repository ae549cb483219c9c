#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "collsched/execute/processes.hpp"
#include "collsched/execute/rank_memory.hpp"
#include "collsched/schedule/any_schedule.hpp"

/// Memory of this process and of those it forks: what one writes, all read. Zeroed.
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

/// Calls f(transport, rank) in `ranks` processes, forked from this one; what they write to shared pages, this one reads. Whether
/// all ended well. Where processes cannot be had, throws.
bool run_forked(collsched::rank_t ranks,
                const std::function<void(collsched::process_group::transport&, collsched::rank_t)>& f);

/// Runs a schedule with a process a rank, forked from this one, `repeat` times with the same plans. `memory` lies in
/// shared pages. Done, or the failure of the rank that reported one first. Where a plan cannot be made or processes cannot be had,
/// throws.
collsched::run_status run_forked(const collsched::any_schedule& s, std::span<const collsched::rank_memory> memory,
                                 collsched::binding how, collsched::reduction op, int repeat);
