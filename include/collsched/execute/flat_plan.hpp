#pragma once

#include <cstdint>

#include "collsched/core/owned_array.hpp"
#include "collsched/execute/flat_plan.h"
#include "collsched/execute/plan.hpp"
#include "collsched/execute/transport.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

static_assert(collsched_join == static_cast<int>(plan::kind::join));
static_assert(collsched_area_staging == static_cast<int>(message::area::staging));
static_assert(collsched_action_combine_after == static_cast<int>(action::combine_after));

/// A plan as arrays of integers, for engines in C and for programs that translate plans. It owns the arrays and does
/// not refer to the plan. Nodes have the indices that they have in the plan. It has no nodes if plan::check() has an
/// error.
class flat_plan {
  public:
    /// Copies a plan. O(n + d) time and memory for n nodes with d dependencies.
    /// @param source  any plan
    explicit flat_plan(const plan& source)
        : nodes_(std::ssize(source.nodes())), parts_(std::ssize(source.sent()) + std::ssize(source.received())) {
        copy_parts(source);
        for (std::int64_t i = 0; i < nodes_.size(); ++i) describe(source, i);
        number_orders(source);
        const detail::buffer_alias& alias = source.alias();
        head_ = {.fingerprint = source.fingerprint(),
                 .rank = source.rank(),
                 .input_bytes = source.input_bytes(),
                 .output_bytes = source.output_bytes(),
                 .scratch_bytes = source.scratch_bytes(),
                 .staging_bytes = source.staging_bytes(),
                 .host_area = number(alias.host),
                 .guest_area = number(alias.guest),
                 .guest_offset = alias.offset,
                 .combines = source.combines() ? 1 : 0,
                 .reorders = source.reorders() ? 1 : 0,
                 .nodes_count = nodes_.size(),
                 .parts_count = parts_.size(),
                 .orders_count = predecessors_.size(),
                 .nodes = nullptr,
                 .parts = nullptr,
                 .predecessors = nullptr,
                 .successors = nullptr};
    }

    /// Returns the plan as a struct of numbers and pointers to the arrays of this object.
    /// @return pointers that are valid as long as this object
    collsched_plan view() const {
        collsched_plan result = head_;
        result.nodes = nodes_.begin();
        result.parts = parts_.begin();
        result.predecessors = predecessors_.begin();
        result.successors = successors_.begin();
        return result;
    }

  private:
    static std::int64_t number(auto enumerator) { return static_cast<std::int64_t>(enumerator); }

    /// First those that leave, then those that enter.
    void copy_parts(const plan& source) {
        std::int64_t at = 0;
        for (const auto& ranges : {source.sent(), source.received()})
            for (const detail::memory_range& range : ranges)
                parts_[at++] = {number(range.where), range.offset, range.size};
    }

    void describe(const plan& source, std::int64_t i) {
        const plan::node& n = source.nodes()[static_cast<std::size_t>(i)];
        collsched_node& flat = nodes_[i];
        flat.op = number(n.kind);
        if (n.kind == plan::kind::join) return;
        const edge& e = source.edge_of(n);
        flat.step = e.step;
        if (n.is_message()) {
            flat.peer = source.peer_of(n);
            flat.sequence = n.sequence;
            flat.first_part = n.first_part + (n.kind == plan::kind::send ? 0 : std::ssize(source.sent()));
            flat.parts = n.parts;
            for (std::int64_t k = 0; k < n.parts; ++k) flat.size += parts_[flat.first_part + k].size;
            return;
        }
        const bool applies = n.kind == plan::kind::apply;
        flat.size = e.size;
        flat.from_area = applies ? number(n.operand.where) : number(e.from);
        flat.from_offset = applies ? n.operand.offset : e.from_offset;
        flat.into_area = number(e.into);
        flat.into_offset = e.into_offset;
        flat.action = number(n.action_of(e));
    }

    void number_orders(const plan& source) {
        std::int64_t orders = 0;
        for (std::int64_t i = 0; i < nodes_.size(); ++i) {
            nodes_[i].first_predecessor = orders;
            orders += source.nodes()[static_cast<std::size_t>(i)].waits_for;
        }
        predecessors_ = owned_array<std::int64_t>(orders);
        successors_ = owned_array<std::int64_t>(orders);
        std::int64_t at = 0;
        for (std::int64_t i = 0; i < nodes_.size(); ++i) {
            nodes_[i].first_successor = at;
            for (const std::int64_t next : source.successors(i)) {
                successors_[at++] = next;
                predecessors_[nodes_[next].first_predecessor + nodes_[next].predecessors++] = i;
            }
            nodes_[i].successors = at - nodes_[i].first_successor;
        }
    }

    owned_array<collsched_node> nodes_;
    owned_array<collsched_part> parts_;
    owned_array<std::int64_t> predecessors_, successors_;
    collsched_plan head_{};
};

}}  // namespace collsched::COLLSCHED_ABI
