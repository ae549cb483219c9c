#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "collsched/execute/engine.hpp"

namespace collsched::inline v0_1 {

/// The caller's memory for one rank. In place one lies in the other, as contract::alias says: for an allgather, input is
/// the part of output that begins at the own displacement.
struct rank_memory {
    std::span<const std::byte> input{};
    std::span<std::byte> output{};
};

/// A rank's plan with memory for it: the caller's buffers, and scratch and staging of its own.
class equipped_plan {
  public:
    template <schedulable X>
    equipped_plan(const X& x, rank_t rank, const rank_memory& memory, binding how = binding::separate)
        : equipped_plan(plan(x, rank, how), memory) {}
    equipped_plan(plan made, const rank_memory& memory)
        : plan_(std::move(made)),
          memory_(memory),
          scratch_(static_cast<std::size_t>(plan_.scratch_bytes())),
          staging_(static_cast<std::size_t>(plan_.staging_bytes())) {}

    const plan& what() const { return plan_; }
    bound_buffers buffers() { return {memory_.input.data(), memory_.output.data(), scratch_.data(), staging_.data()}; }

    /// What to report where the plan cannot be started; idle where it can.
    status trouble() const {
        const auto failed = [this](engine_error error) -> status {
            return {.now = status::state::failed, .error = error, .rank = plan_.rank()};
        };
        if (plan_.check()) return failed(bad_plan);
        if (std::ssize(memory_.input) < plan_.input_bytes() || std::ssize(memory_.output) < plan_.output_bytes())
            return failed(small_buffer);
        return lies_in_place() ? status{} : failed(not_in_place);
    }

  private:
    bool lies_in_place() const {
        const buffer_alias& alias = plan_.alias();
        const bytes_t guest = alias.guest == buffer::input ? plan_.input_bytes() : plan_.output_bytes();
        if (!alias.any() || guest == 0) return true;
        const std::byte* input = memory_.input.data();
        const std::byte* output = memory_.output.data();
        return alias.host == buffer::output ? input == output + alias.offset : output == input + alias.offset;
    }

    plan plan_;
    rank_memory memory_;
    std::vector<std::byte> scratch_, staging_;
};

/// What is wrong with the request to run a schedule with memory for each of its ranks.
template <schedule S>
error check_run(const S& s, std::span<const rank_memory> memory) {
    if (error wrong = s.check()) return wrong;
    if (std::ssize(memory) != s.ranks) return {"memory", std::ssize(memory), "buffers for every rank"};
    return {};
}

}  // namespace collsched::inline v0_1
