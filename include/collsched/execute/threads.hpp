#pragma once

#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "collsched/execute/rank_memory.hpp"
#include "collsched/execute/thread_fabric.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// Calls f(rank) in one thread per rank of a fabric, and returns when all have ended. An exception of one ends the waits
/// of the others, and is thrown again.
void on_threads(thread_fabric& fabric, auto f) {
    std::exception_ptr exception;
    std::mutex reporting;
    const auto run_guarded = [&](rank_t rank) {
        try {
            f(rank);
        } catch (...) {
            const std::lock_guard lock(reporting);
            if (!exception) exception = std::current_exception();
            fabric.close();
        }
    };
    {
        std::vector<std::jthread> threads;
        try {
            for (rank_t r = 0; r < fabric.ranks(); ++r) threads.emplace_back(run_guarded, r);
        } catch (...) {  // no more threads: those that run would wait for the others for ever
            fabric.close();
            throw;
        }
    }
    if (exception) std::rethrow_exception(exception);
}

}  // namespace detail

/// Runs a schedule with one thread per rank, `repeat` times with the same plans. A failure on one rank stops the other
/// ranks. Failure: wrong parameters, and memory for another number of ranks, throw bad_argument; a lack of threads
/// throws std::system_error; an exception of `op` passes through.
/// @param x        schedule or algorithm
/// @param memory   input and output of each rank
/// @param binding  how input and output overlap
/// @param op       operation of a schedule that combines
/// @param repeat   number of runs, one after the other
/// @param wrap     wrap(rank, endpoint) returns the transport of a rank, such as a `recording` of the endpoint
/// @return `done`, or the failure that came first
template <schedulable X, class Wrap = decltype([](rank_t, thread_fabric::endpoint inner) { return inner; })>
run_status run_threads(const X& x, std::span<const rank_memory> memory, binding binding = binding::separate,
                       reduction op = {}, int repeat = 1, Wrap wrap = {}) {
    const auto& s = lower(x);
    if (refuse_if(detail::check_run(s, memory))) return {.state = run_status::phase::failed, .error = bad_plan};
    thread_fabric fabric(s.ranks);
    std::vector<std::unique_ptr<bound_plan>> plans;
    for (std::size_t r = 0; r < memory.size(); ++r) {
        plans.push_back(std::make_unique<bound_plan>(s, static_cast<rank_t>(r), memory[r], binding));
        if (run_status error = plans.back()->outcome(); error.failed()) return error;
    }
    run_status first_failure{.state = run_status::phase::done};
    std::mutex reporting;
    detail::on_threads(fabric, [&](rank_t rank) {
        bound_plan& plan = *plans[static_cast<std::size_t>(rank)];
        auto endpoint = wrap(rank, fabric.at(rank));
        execution<decltype(endpoint)> running(plan.plan(), endpoint);
        for (int i = 0; i < repeat; ++i) {
            running.start(plan.buffers(), op);
            if (running.wait().done()) continue;
            const std::lock_guard lock(reporting);
            if (!first_failure.failed()) first_failure = running.state();
            fabric.close();
            return;
        }
    });
    return first_failure;
}

}}  // namespace collsched::COLLSCHED_ABI
