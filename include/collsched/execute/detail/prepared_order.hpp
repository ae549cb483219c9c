#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "collsched/core/owned_array.hpp"
#include "collsched/execute/plan.hpp"
#include "collsched/execute/detail/plan_operations.hpp"
#include "collsched/execute/transport.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Returns whether a transport completes the sends of a plan as they are posted, as a rule: see message::buffered_sends.
inline bool are_buffered(const plan& plan, const message::buffered_sends& limit) {
    std::vector<std::int64_t> counts;  // messages to each rank
    for (const plan::node& n : plan.nodes()) {
        if (!n.is_message()) continue;
        if (plan.bytes_of(n) > limit.bytes) return false;
        if (n.kind != plan::kind::send) continue;
        const auto peer = static_cast<std::size_t>(plan.peer_of(n));
        if (peer >= counts.size()) counts.resize(peer + 1);
        if (++counts[peer] > limit.messages) return false;
    }
    return true;
}

/// Numbers of which the smallest comes out first. Most are pushed in rising order, in O(1).
class smallest_first {
  public:
    bool empty() const { return head_ == numbers_.size(); }
    void push(std::int64_t number) {
        std::size_t at = numbers_.size();
        numbers_.push_back(number);
        for (; at > head_ && numbers_[at - 1] > number; --at) numbers_[at] = numbers_[at - 1];
        numbers_[at] = number;
    }
    std::int64_t pop() { return numbers_[head_++]; }

  private:
    std::vector<std::int64_t> numbers_;  // from head_ on, rising
    std::size_t head_ = 0;
};

/// Returns an order in which a rank can do the operations of a plan one after the other, waiting for each receive, where
/// sends are complete as they are posted: every operation but a receive as soon as all before it are done, sends first,
/// and receives in program order. No array if there is none. O(n) for n nodes that become ready in program order; at
/// most O(n^2).
///
/// Ranks that all do so never wait for each other: a send of step k depends on receives of earlier steps alone, so among
/// the ranks that wait, one that waits for a message of the lowest step waits for a message that has been sent.
inline owned_array<std::int64_t> prepared_order(const plan& plan, const plan_operations& operations) {
    const std::int64_t n = std::ssize(plan.nodes());
    smallest_first sends, local_work, waits;
    std::vector<std::int64_t> open_waits(static_cast<std::size_t>(n));
    const auto enter = [&](std::int64_t i) {
        (operations.receives(i) ? waits : operations.node(i).kind == plan::kind::send ? sends : local_work).push(i);
    };
    for (std::int64_t i = 0; i < n; ++i)
        if ((open_waits[static_cast<std::size_t>(i)] = operations.node(i).waits_for) == 0) enter(i);
    owned_array<std::int64_t> order(n);
    step_t step = 0;
    for (std::int64_t at = 0; at < n; ++at) {
        smallest_first& from = !sends.empty() ? sends : !local_work.empty() ? local_work : waits;
        if (from.empty()) return {};
        const std::int64_t i = order[at] = from.pop();
        if (&from == &waits) {
            const step_t next = plan.edge_of(operations.node(i)).step;
            if (next < step) return {};
            step = next;
        }
        for (const std::int64_t successor : plan.successors(i))
            if (--open_waits[static_cast<std::size_t>(successor)] == 0) enter(successor);
    }
    return order;
}

/// An operation of a prepared start, with all that does not change between starts.
struct prepared_step {
    std::int64_t node = -1;
    std::int64_t place = 0;  ///< in the order
    plan::kind kind = plan::kind::join;
    message::key key;
    std::span<const message::send_part> from;
    std::span<const message::receive_part> into;
    message::combined_part combined;  ///< of a receive that combines; else without a reduction
};

/// Returns the operations of an order.
/// @param send_parts     parts of all sends of the plan
/// @param receive_parts  parts of all receives
/// @param key_of         key_of(i) returns the key of a message
owned_array<prepared_step> prepared_steps(const plan_operations& operations, const owned_array<std::int64_t>& order,
                                          const owned_array<message::send_part>& send_parts,
                                          const owned_array<message::receive_part>& receive_parts, auto key_of) {
    std::vector<prepared_step> steps;
    for (std::int64_t place = 0; place < order.size(); ++place) {
        const std::int64_t i = order[place];
        if (operations.does_nothing(i)) continue;
        prepared_step& s = steps.emplace_back(prepared_step{i, place, operations.node(i).kind, {}, {}, {}, {}});
        const plan::node& message = operations.reported_node(i);
        if (!message.is_message()) continue;
        s.key = key_of(i);
        const auto parts = static_cast<std::size_t>(message.parts);
        if (message.kind == plan::kind::send) s.from = {send_parts.begin() + message.first_part, parts};
        else s.into = {receive_parts.begin() + message.first_part, parts};
    }
    return owned_array<prepared_step>(std::span<const prepared_step>(steps));
}

}}}  // namespace collsched::COLLSCHED_ABI::detail
