#pragma once

#include "collsched/execute/bound_buffers.hpp"
#include "collsched/execute/plan.hpp"
#include "collsched/execute/run_status.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Returns the error of a start with this memory and reduction, or 0. Errors that all ranks share come before those of
/// this rank's memory. O(1).
/// @param plan     plan of the rank
/// @param buffers  memory; addresses that are null are unknown
/// @param op       reduction, maybe without a function
/// @return an engine_error, or 0
inline int start_error(const plan& plan, const bound_buffers& buffers, const reduction& op) {
    if (plan.check()) return bad_plan;
    if (plan.reduces() && !op.combine) return missing_reduction;
    if (plan.reduces() && op.element > 0 && plan.element() % op.element != 0) return element_mismatch;
    if (plan.reorders() && op.combine && !op.commutative) return not_commutative;
    if (buffers.input == nullptr || buffers.output == nullptr) return 0;
    // A plan may take less memory than its collective, so separate buffers are compared by their addresses alone.
    const bool as_bound = plan.alias().any()
                              ? plan.overlaps_as_bound(buffers.input, buffers.output)
                              : buffers.input != buffers.output || plan.input_bytes() == 0 || plan.output_bytes() == 0;
    return as_bound ? 0 : not_in_place;
}

}}}  // namespace collsched::COLLSCHED_ABI::detail
