#pragma once

#include <span>

#include "collsched/execute/mock_network/mock_run.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Runs a schedule for all ranks in the calling thread, `repeat` times with the same plans. Failure: wrong parameters,
/// or memory for another number of ranks, throw bad_argument where exceptions are on.
/// @param x        schedule or algorithm
/// @param memory   input and output of each rank
/// @param binding  how input and output overlap
/// @param op       operation of a schedule that combines
/// @param repeat   number of runs, one after the other
/// @return `done`, or the first failure, after which no run follows
template <schedulable X>
run_status run_inline(const X& x, std::span<const rank_memory> memory, binding binding = binding::separate,
                      reduction op = {}, int repeat = 1) {
    const auto& s = lower(x);
    if (refuse_if(detail::check_run(s, memory))) return {.state = run_status::phase::failed, .error = bad_plan};
    mock_network network(s.ranks);
    mock_network::group group(network, s, memory, binding);
    if (const run_status error = group.outcome(); error.failed()) return error;
    for (int i = 0; i < repeat; ++i) {
        group.start(op);
        // A rank that waits for one that has failed reports only that, so it is not polled.
        if (!take_turns(network, group.runs()) && !group.outcome().failed()) settle(network, group.runs());
        if (const run_status end = group.outcome(); end.failed()) return end;
    }
    return {.state = run_status::phase::done};
}

}}  // namespace collsched::COLLSCHED_ABI
