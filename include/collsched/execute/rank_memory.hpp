#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "collsched/execute/engine.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// The caller's memory for one rank. In place one buffer is inside the other, as contract::alias() returns: for an
/// allgather, input is the part of output at the displacement of the rank's block.
struct rank_memory {
    std::span<const std::byte> input{};  ///< plan::input_bytes() bytes or more; only read
    std::span<std::byte> output{};       ///< plan::output_bytes() bytes or more
};

/// The plan of one rank with memory: the caller's input and output, and scratch and staging that it owns.
class bound_plan {
  public:
    /// Makes a plan and allocates its scratch and staging. Failure: wrong parameters throw bad_argument; without
    /// exceptions check() reports them.
    /// @param x        schedule or algorithm
    /// @param rank     0 .. p-1
    /// @param memory   input and output of the rank, valid as long as executions run
    /// @param binding  how input and output overlap
    template <schedulable X>
    bound_plan(const X& x, rank_t rank, const rank_memory& memory, binding binding = binding::separate)
        : bound_plan(collsched::plan(x, rank, binding), memory) {}
    /// Takes a plan and allocates its scratch and staging.
    /// @param plan    any plan
    /// @param memory  input and output of its rank, valid as long as executions run
    bound_plan(collsched::plan plan, const rank_memory& memory)
        : plan_(std::move(plan)),
          memory_(memory),
          scratch_(static_cast<std::size_t>(plan_.scratch_bytes())),
          staging_(static_cast<std::size_t>(plan_.staging_bytes())) {}

    /// Returns the plan.
    /// @return reference that is valid as long as this object
    const collsched::plan& plan() const { return plan_; }
    /// Returns the memory of a start.
    /// @return addresses of the caller's input and output, and of scratch and staging of this object
    plan::buffers buffers() { return {memory_.input.data(), memory_.output.data(), scratch_.data(), staging_.data()}; }

    /// Returns the first error in the plan or in the memory: a buffer that is too small, or buffers that do not overlap
    /// as the binding requires. O(1).
    /// @return no error: the plan can be started
    argument_error check() const {
        if (argument_error error = plan_.check()) return error;
        if (argument_error error = check_sizes()) return error;
        if (!plan_.overlaps_as_bound(memory_.input.data(), memory_.output.data()))
            return {"memory", plan_.rank(),
                    plan_.alias().any() ? "input and output that overlap as in plan::alias()"
                                        : "input and output that do not overlap"};
        return {};
    }
    /// Returns the status of a run that check() prevents.
    /// @return failed, with bad_plan, small_buffer or not_in_place; `idle` where check() reports no error
    run_status outcome() const {
        if (!check()) return {};
        const int error = plan_.check() ? bad_plan : check_sizes() ? small_buffer : not_in_place;
        return {.state = run_status::phase::failed, .error = error, .rank = plan_.rank()};
    }

  private:
    argument_error check_sizes() const {
        if (std::ssize(memory_.input) < plan_.input_bytes())
            return {"input", std::ssize(memory_.input), "a span of plan::input_bytes() bytes or more"};
        if (std::ssize(memory_.output) < plan_.output_bytes())
            return {"output", std::ssize(memory_.output), "a span of plan::output_bytes() bytes or more"};
        return {};
    }

    collsched::plan plan_;
    rank_memory memory_;
    std::vector<std::byte> scratch_, staging_;
};

namespace detail {

/// Returns the first error of a run of a schedule with memory for each of its ranks: in its parameters, or in the
/// number of ranks.
/// @param s       a schedule
/// @param memory  input and output of each rank; their sizes are not checked
/// @return the error, or no error
template <schedule S>
argument_error check_run(const S& s, std::span<const rank_memory> memory) {
    if (argument_error error = s.check()) return error;
    if (std::ssize(memory) != s.ranks) return {"memory", std::ssize(memory), "buffers for every rank"};
    return {};
}

}  // namespace detail

}}  // namespace collsched::COLLSCHED_ABI
