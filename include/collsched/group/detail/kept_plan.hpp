#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "collsched/execute/bound_buffers.hpp"
#include "collsched/execute/plan.hpp"
#include "collsched/group/detail/call_key.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// A plan for calls with equal keys, and its runs.
template <class Run>
struct kept_plan {
    call_key key;
    std::vector<std::int64_t> numbers{};  ///< of the key
    neighborhood neighbors{};             ///< keeps the graph of the key
    plan steps{};
    std::string reason{};                      ///< why the schedule was chosen
    bytes_t input = 0, output = 0;             ///< bytes that the memory of a call has at least
    bytes_t input_at = 0, output_at = 0;       ///< offsets of the buffers of the plan in that memory
    std::vector<std::unique_ptr<Run>> runs{};  ///< all, in use or not
    Run* idle = nullptr;                       ///< first of those that are not in use; the others follow by `next`
    bytes_t copied = 0;                        ///< bytes of input that a start copies: the plan overwrites it too early
    bool compares = true;                      ///< the schedule is equal on all ranks

    /// Returns the bytes of the plan, its runs aside.
    bytes_t footprint() const {
        return static_cast<bytes_t>(sizeof(*this) - sizeof(plan) + numbers.size() * sizeof(std::int64_t)) +
               steps.footprint();
    }
    /// Returns the addresses of the plan's buffers within the memory of a call, which has the sizes of this plan.
    bound_buffers buffers(const collective_call& call) const {
        bound_buffers bound;
        bound.input = call.input.data() + input_at;
        bound.output = call.output.data() + output_at;
        return bound;
    }
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
