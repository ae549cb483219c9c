#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "collsched/execute/engine.hpp"

namespace collsched {

/// The caller's memory for one rank.
struct rank_memory {
    std::span<const std::byte> input;
    std::span<std::byte> output;
};

/// A rank's plan with memory for it: the caller's buffers, and scratch and staging of its own.
class equipped_plan {
  public:
    template <schedulable X>
    equipped_plan(const X& x, rank_t rank, const rank_memory& memory, binding how = binding::separate)
        : plan_(x, rank, how),
          memory_(memory),
          scratch_(static_cast<std::size_t>(plan_.scratch_bytes())),
          staging_(static_cast<std::size_t>(plan_.staging_bytes())) {}

    const plan& what() const { return plan_; }
    bool fits() const {
        return std::ssize(memory_.input) >= plan_.input_bytes() && std::ssize(memory_.output) >= plan_.output_bytes();
    }
    bound_buffers buffers() { return {memory_.input.data(), memory_.output.data(), scratch_.data(), staging_.data()}; }
    /// What to report where the plan cannot be started; idle where it can.
    status trouble() const {
        if (plan_.check() || !fits())
            return {.now = status::state::failed, .error = small_buffer, .rank = plan_.rank(), .peer = plan_.rank()};
        return {};
    }

  private:
    plan plan_;
    rank_memory memory_;
    std::vector<std::byte> scratch_, staging_;
};

}  // namespace collsched
