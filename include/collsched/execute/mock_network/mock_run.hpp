#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "collsched/execute/mock.hpp"
#include "collsched/execute/rank_memory.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// All ranks of a schedule over one mock network, each with a plan, memory for it, and an execution. Several groups may
/// share a network, each with a channel of its own.
class mock_network::group {
  public:
    using execution = collsched::execution<endpoint>;  ///< execution of a rank

    /// Makes a plan, an endpoint and an execution for each rank. Failure: wrong parameters throw bad_argument; without
    /// exceptions outcome() reports them.
    /// @param network  network with as many ranks as the schedule; outlives the group
    /// @param x        schedule or algorithm
    /// @param memory   input and output of each rank
    /// @param binding  how input and output overlap
    /// @param options  channel, first epoch, limits and callback of all executions
    template <schedulable X>
    group(mock_network& network, const X& x, std::span<const rank_memory> memory, binding binding = binding::separate,
          execution_options options = {}) {
        for (rank_t r = 0; r < network.ranks(); ++r) {
            plans_.emplace_back(x, r, memory[static_cast<std::size_t>(r)], binding);
            endpoints_.push_back(network.at(r));
        }
        for (std::size_t r = 0; r < plans_.size(); ++r) runs_.emplace_back(plans_[r].plan(), endpoints_[r], options);
    }

    /// Returns the plan of a rank.
    /// @param rank  0 .. p-1
    /// @return reference that is valid as long as the group
    const plan& plan_of(rank_t rank) const { return plans_[static_cast<std::size_t>(rank)].plan(); }
    /// Returns the execution of a rank.
    /// @param rank  0 .. p-1
    /// @return reference that is valid as long as the group
    execution& run_of(rank_t rank) { return runs_[static_cast<std::size_t>(rank)]; }
    /// Returns the executions of all ranks, for take_turns() and settle(). O(p).
    /// @return one pointer per rank, in order of ranks
    std::vector<execution*> runs() {
        std::vector<execution*> executions;
        for (execution& run : runs_) executions.push_back(&run);
        return executions;
    }

    /// Starts the execution of one rank.
    /// @param rank  0 .. p-1
    /// @param op    operation of a schedule that combines
    void start(rank_t rank, reduction op = {}) {
        run_of(rank).start(plans_[static_cast<std::size_t>(rank)].buffers(), op);
    }
    /// Starts the executions of all ranks, in order of ranks.
    /// @param op  operation of a schedule that combines
    void start(reduction op = {}) {
        for (rank_t r = 0; r < static_cast<rank_t>(runs_.size()); ++r) start(r, op);
    }

    /// Returns the first rank that cannot be started, else the first failure in order of ranks. O(p).
    /// @return `done` if there is neither
    run_status outcome() const {
        for (const bound_plan& plan : plans_)
            if (const run_status status = plan.outcome(); status.failed()) return status;
        for (const execution& run : runs_)
            if (run.state().failed()) return run.state();
        return {.state = run_status::phase::done};
    }
    /// Returns the states of all executions. O(p).
    /// @return one state per rank, in order of ranks
    std::vector<run_status> states() const {
        std::vector<run_status> statuses;
        for (const execution& run : runs_) statuses.push_back(run.state());
        return statuses;
    }

  private:
    std::deque<bound_plan> plans_;
    std::deque<mock_network::endpoint> endpoints_;
    std::deque<execution> runs_;
};

/// Lets executions progress in turn, until all have ended, no event is left, or virtual time is `deadline`. On a network
/// that reorders, the order of turns is random.
/// @param network   network of their transports
/// @param runs      executions over endpoints of the network, or over transports that wrap these
/// @param deadline  virtual time in nanoseconds
/// @return true: all have ended
template <polled_transport Transport>
bool take_turns(mock_network& network, std::vector<execution<Transport>*> runs,
                std::int64_t deadline = mock_network::end_of_time) {
    for (int idle = 0; idle < 2;) {
        std::erase_if(runs, [](const auto* entry) { return entry->state().state != run_status::phase::running; });
        if (runs.empty()) return true;
        if (network.now() >= deadline) return false;
        for (std::size_t i = 0; i < runs.size(); ++i) std::swap(runs[i], runs[i + network.any_of(runs.size() - i)]);
        const std::int64_t reported = network.reported();
        for (auto* entry : runs) entry->progress();
        // Completions that arise during a round are reported in the next round.
        idle = network.reported() == reported && !network.skip(deadline) ? idle + 1 : 0;
    }
    if (deadline != mock_network::end_of_time) network.pass(deadline);
    return false;
}

/// As take_turns(), for a duration. Then each execution that is still running fails with would_block or timed_out, and
/// with step and peer of its first message in flight. Afterwards none is running.
/// @param network  network of their transports
/// @param runs     executions over endpoints of the network, or over transports that wrap these
/// @param timeout  virtual time, or `forever`
template <polled_transport Transport>
void settle(mock_network& network, const std::vector<execution<Transport>*>& runs,
            std::chrono::nanoseconds timeout = forever) {
    const bool endless = timeout.count() >= mock_network::end_of_time - network.now();
    const std::int64_t deadline = endless ? mock_network::end_of_time : network.now() + timeout.count();
    if (take_turns(network, runs, deadline)) return;
    for (auto* entry : runs) {
        const std::int64_t remaining = std::max<std::int64_t>(deadline - network.now(), 0);
        if (entry->wait_for(endless ? forever : std::chrono::nanoseconds(remaining)).running()) entry->fail(timed_out);
    }
}

/// Runs a schedule for all ranks over a mock network, `repeat` times with the same plans. Failure: wrong parameters, or
/// memory for another number of ranks, throw bad_argument where exceptions are on.
/// @param x        schedule or algorithm
/// @param memory   input and output of each rank
/// @param options  behavior of the network
/// @param binding  how input and output overlap
/// @param op       operation of a schedule that combines
/// @param repeat   number of runs, one after the other; none follows a failure
/// @param timeout  virtual time of each run, or `forever`
/// @return status of each rank after the last run; only that of the first rank that cannot be started, if there is one
template <schedulable X>
std::vector<run_status> run_mock(const X& x, std::span<const rank_memory> memory, const mock_network::options& options,
                                 binding binding = binding::separate, reduction op = {}, int repeat = 1,
                                 std::chrono::nanoseconds timeout = forever) {
    const auto& s = lower(x);
    if (refuse_if(detail::check_run(s, memory))) return {{.state = run_status::phase::failed, .error = bad_plan}};
    mock_network network(s.ranks, options);
    mock_network::group group(network, s, memory, binding);
    if (const run_status error = group.outcome(); error.failed()) return {error};
    for (int i = 0; i < repeat; ++i) {
        group.start(op);
        settle(network, group.runs(), timeout);
        if (group.outcome().failed()) break;
    }
    return group.states();
}

}}  // namespace collsched::COLLSCHED_ABI
