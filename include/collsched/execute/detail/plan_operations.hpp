#pragma once

#include <cstdint>

#include "collsched/execute/plan_buffers.hpp"
#include "collsched/execute/local_executor.hpp"
#include "collsched/execute/plan.hpp"
#include "collsched/execute/run_status.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The nodes of a plan as an execution does them: over a transport that combines messages as they arrive, a combination
/// that is fused with its message receives it, and the receive does nothing.
class plan_operations {
  public:
    plan_operations(const plan& plan, bool fuses) : plan_(&plan), fuses_(fuses) {}

    std::int64_t size() const { return std::ssize(plan_->nodes()); }
    const plan::node& node(std::int64_t i) const { return plan_->nodes()[static_cast<std::size_t>(i)]; }
    bool is_fused(std::int64_t i) const { return fuses_ && node(i).fused_with >= 0; }
    /// Returns the node that reports name: of a fused combination its message.
    const plan::node& reported_node(std::int64_t i) const {
        return is_fused(i) && node(i).kind == plan::kind::apply ? node(node(i).fused_with) : node(i);
    }
    /// Returns whether the node is done without an operation.
    bool does_nothing(std::int64_t i) const {
        const plan::node& n = node(i);
        if (n.is_message()) return is_fused(i) && n.kind == plan::kind::receive;
        return !is_fused(i) && (n.kind == plan::kind::join || plan_->edge_of(n).size == 0);
    }
    /// Returns whether the node receives a message.
    bool receives(std::int64_t i) const { return !does_nothing(i) && reported_node(i).kind == plan::kind::receive; }

    /// Returns the staging that the combinations need that are not fused.
    bytes_t staging_bytes() const {
        bytes_t bytes = 0;
        for (std::int64_t i = 0; i < size(); ++i) {
            const bytes_t end = node(i).operand.offset + node(i).operand.size;
            if (node(i).kind == plan::kind::apply && !node(i).is_folded() && !is_fused(i) && end > bytes) bytes = end;
        }
        return bytes;
    }

    /// The message that a fused combination receives. @param op  valid as long as the result
    message::combined_part combined(std::int64_t i, const plan::buffers& buffers, const reduction& op) const {
        const plan::node& apply = node(i);
        const edge& e = plan_->edge_of(apply);
        const memory_range into{area_of(e.into), e.into_offset, e.size};
        return {buffers.writable(into), buffers.readable(apply.is_folded() ? apply.operand : into), e.action, &op};
    }
    /// The work of a node that is no message. @param op  valid as long as the result
    plan::local_operation local(std::int64_t i, const plan::buffers& buffers, const reduction& op) const {
        const plan::node& n = node(i);
        const edge& e = plan_->edge_of(n);
        const memory_range from{area_of(e.from), e.from_offset, e.size};
        return {buffers.writable({area_of(e.into), e.into_offset, e.size}),
                buffers.readable(n.kind == plan::kind::apply ? n.operand : from), n.action_of(e),
                e.combines() ? &op : nullptr};
    }

  private:
    const plan* plan_;
    bool fuses_;
};

/// Returns the error of a start with this memory and reduction, or 0. Errors that all ranks share come before those of
/// this rank's memory. O(1).
/// @param plan     plan of the rank
/// @param buffers  memory; addresses that are null are unknown
/// @param op       reduction, maybe without a function
/// @return an error of the engine, or 0
inline int start_error(const plan& plan, const plan::buffers& buffers, const reduction& op) {
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
