#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "collsched/core/config.hpp"
#include "collsched/core/detail/sort.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/schedule/detail/dependencies.hpp"
#include "collsched/schedule/detail/fold_copies.hpp"
#include "collsched/schedule/detail/memory_area.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Sorts elements stably by a member with values 0 .. keys-1. O(elements + keys).
template <class T>
constexpr void order_by(std::vector<T>& elements, std::int64_t T::* key, std::size_t keys) {
    std::vector<std::size_t> next(keys + 1);
    for (const T& element : elements) ++next[static_cast<std::size_t>(element.*key) + 1];
    for (std::size_t k = 1; k <= keys; ++k) next[k] += next[k - 1];
    std::vector<T> ordered(elements.size());
    for (const T& element : elements) ordered[next[static_cast<std::size_t>(element.*key)]++] = element;
    elements = std::move(ordered);
}

/// Byte range of the memory of a rank.
struct memory_range {
    memory_area where = memory_area::input;
    bytes_t offset = 0;
    bytes_t size = 0;
};

/// Task graph of a plan: the messages and local edges of one rank with their dependencies.
///
/// All edges of one step between one ordered pair of ranks are one message and one node; it starts when all its edges
/// may. An incoming combine has two nodes: the message, which receives into staging, and the combination. Where the
/// target holds a copy of input that nothing else reads, there is no copy and no staging: the message receives at the
/// target, and the combination combines it with input. A join performs no operation and represents all nodes before it.
struct plan_graph {
    enum class kind : std::uint8_t { send, receive, local, apply, join };

    /// Operation of the rank. Messages are in program order: step, source, destination.
    struct node {
        plan_graph::kind kind = plan_graph::kind::join;
        std::int64_t edge = -1;       ///< index in the rank's program; first edge of a message
        std::int64_t sequence = 0;    ///< message: its number for this pair and direction
        std::int64_t first_part = 0;  ///< message: index in sent or received
        std::int64_t parts = 0;       ///< message: number of ranges; 0 for a signal
        memory_range operand{};       ///< incoming combine: what its target is combined with
        std::int64_t waits_for = 0;   ///< number of nodes that it waits for
        /// For a message that may be combined on arrival, its combination; for that combination, the message; else -1.
        /// The message is one edge, and its target overlaps no range that the rank sends in this step, so that no two
        /// ranks wait for each other.
        std::int64_t fused_with = -1;

        bool is_message() const { return kind == plan_graph::kind::send || kind == plan_graph::kind::receive; }
        /// Returns whether the target holds the received bytes and is combined with input.
        bool is_folded() const { return kind == plan_graph::kind::apply && operand.where == memory_area::input; }
        /// Returns the action at the target of the edge of a local node or an incoming combine.
        action action_of(const collsched::edge& e) const {
            if (!is_folded()) return e.action;
            return e.action == action::combine_before ? action::combine_after : action::combine_before;
        }
    };

    owned_array<node> nodes;
    owned_array<memory_range> sent, received;  ///< ranges of all messages; adjacent ones are merged
    owned_array<std::int64_t> first, after;    ///< after[first[i] .. first[i+1]-1] wait for node i
    bytes_t staging = 0;                       ///< size of staging

    /// Returns the bytes of a message. O(its ranges).
    bytes_t bytes(const node& message) const {
        const owned_array<memory_range>& parts = message.kind == kind::send ? sent : received;
        bytes_t sum = 0;
        for (std::int64_t i = 0; i < message.parts; ++i) sum += parts[message.first_part + i].size;
        return sum;
    }
};

/// Constructs the graph of a program from its dependency list.
class plan_graph_builder {
  public:
    plan_graph_builder(std::span<const edge> program, std::span<const bytes_t> operands, rank_t rank,
                       const dependency_list& list, bytes_t staging_limit)
        : program_(program),
          operands_(operands),
          rank_(rank),
          list_(list),
          staging_(staging_limit),
          staged_(program.size(), 0),
          nodes_of_(program.size()) {
        nodes_.reserve(program.size() + static_cast<std::size_t>(list.nodes() - list.operations));
        waits_.reserve(static_cast<std::size_t>(list.before.size()));
    }

    plan_graph build() {
        place_operands();
        for (std::int64_t i = 0; i < std::ssize(program_); ++i) add(i);
        joins_ = std::ssize(nodes_);
        nodes_.resize(nodes_.size() + static_cast<std::size_t>(list_.nodes() - list_.operations));
        number_messages();
        for (std::int64_t i = 0; i < list_.nodes(); ++i)
            for (const std::int64_t before : list_.predecessors(i)) wait(begun_by(i), done_by(before));
        order_combines();
        for (std::int64_t i = 0; i < std::ssize(program_); ++i)
            if (may_fuse(i)) {
                node(nodes_of(i).message).fused_with = nodes_of(i).done_by;
                node(nodes_of(i).done_by).fused_with = nodes_of(i).message;
            }
        return collect();
    }

  private:
    struct pair {
        std::int64_t node, before;
        bool operator==(const pair&) const = default;
    };
    /// Nodes of an edge: the operation, and the message that contains it.
    struct places {
        std::int64_t done_by = -1, message = -1;
    };

    const edge& at(std::int64_t i) const { return program_[static_cast<std::size_t>(i)]; }
    places& nodes_of(std::int64_t i) { return nodes_of_[static_cast<std::size_t>(i)]; }
    plan_graph::node& node(std::int64_t i) { return nodes_[static_cast<std::size_t>(i)]; }
    std::int64_t done_by(std::int64_t operation) const {
        return operation < list_.operations ? nodes_of_[static_cast<std::size_t>(operation)].done_by
                                            : joins_ + operation - list_.operations;
    }
    /// Returns the operation that begins to change the target: for a folded combination, its message.
    std::int64_t begun_by(std::int64_t operation) {
        return operation < list_.operations && is_folded(operation) ? nodes_of(operation).message : done_by(operation);
    }
    void wait(std::int64_t node, std::int64_t before) {
        if (node != before) waits_.push_back({node, before});
    }

    std::int64_t push(plan_graph::kind kind, std::int64_t edge) {
        nodes_.push_back({.kind = kind, .edge = edge});
        return std::ssize(nodes_) - 1;
    }

    void add(std::int64_t i) {
        const edge& e = at(i);
        if (e.is_local()) {
            nodes_of(i).done_by = push(plan_graph::kind::local, i);
            return;
        }
        const bool sends = e.src == rank_;
        const bool goes_on = i > 0 && at(i - 1).step == e.step && at(i - 1).src == e.src && at(i - 1).dst == e.dst;
        std::vector<memory_range>& parts = sends ? sent_ : received_;
        if (goes_on) {
            nodes_of(i).message = nodes_of(i - 1).message;
        } else {
            nodes_of(i).message = push(sends ? plan_graph::kind::send : plan_graph::kind::receive, i);
            node(nodes_of(i).message).first_part = std::ssize(parts);
        }
        memory_range range{area_of(sends ? e.from : e.into), sends ? e.from_offset : e.into_offset, e.size};
        if (is_staged(i)) range = {memory_area::staging, staged(i), e.size};
        nodes_of(i).done_by = nodes_of(i).message;
        if (!sends && e.combines()) {
            nodes_of(i).done_by = push(plan_graph::kind::apply, i);
            node(nodes_of(i).done_by).operand =
                is_folded(i) ? memory_range{memory_area::input, operand(i), e.size} : range;
        }
        put(parts, node(nodes_of(i).message), range);
    }

    static void put(std::vector<memory_range>& parts, plan_graph::node& message, const memory_range& range) {
        if (range.size == 0) return;
        if (message.parts > 0) {
            memory_range& last = parts.back();
            if (last.where == range.where && last.offset + last.size == range.offset) {
                last.size += range.size;
                return;
            }
        }
        parts.push_back(range);
        ++message.parts;
    }

    bytes_t operand(std::int64_t i) const { return operands_[static_cast<std::size_t>(i)]; }
    bool is_folded(std::int64_t i) const { return operand(i) >= 0; }
    bool is_staged(std::int64_t i) const {
        return at(i).combines() && at(i).dst == rank_ && !at(i).is_local() && !is_folded(i);
    }
    bytes_t& staged(std::int64_t i) { return staged_[static_cast<std::size_t>(i)]; }

    /// Places the operands of incoming combines in staging, those of one step side by side.
    void place_operands() {
        for (std::int64_t first = 0, last = 0; first < std::ssize(program_); first = last) {
            bytes_t size = 0;
            for (; last < std::ssize(program_) && at(last).step == at(first).step; ++last)
                if (is_staged(last)) staged(last) = std::exchange(size, size + at(last).size);
            if (size == 0) continue;
            const bytes_t offset = staging_.place(size);
            for (std::int64_t i = first; i < last; ++i)
                if (is_staged(i)) staged(i) += offset;
        }
    }

    /// Numbers the messages of a pair. Both ends list them in program order, so the numbers agree.
    void number_messages() {
        struct message {
            std::int64_t pair;  // twice the peer, and 1 more for a receive
            std::int64_t node;
        };
        std::vector<message> messages;
        messages.reserve(nodes_.size());
        for (std::int64_t i = 0; i < joins_; ++i)
            if (node(i).is_message()) {
                const edge& e = at(node(i).edge);
                messages.push_back({e.src == rank_ ? 2 * e.dst : 2 * e.src + 1, i});
            }
        sort(messages.data(), std::ssize(messages),
             [](const message& a, const message& b) { return a.pair != b.pair ? a.pair < b.pair : a.node < b.node; });
        for (std::size_t i = 1; i < messages.size(); ++i)
            if (messages[i].pair == messages[i - 1].pair)
                node(messages[i].node).sequence = node(messages[i - 1].node).sequence + 1;
    }

    /// A combination follows its message. A message into staging follows the pacing, and the combinations of earlier
    /// steps whose operands were in the same bytes of staging.
    void order_combines() {
        access_history staging;
        for (std::int64_t i = 0; i < std::ssize(program_); ++i)
            if (is_staged(i) && at(i).size > 0) staging.announce({staged(i), at(i).size});
        staging.lay_out();
        for (std::int64_t i = 0; i < std::ssize(program_); ++i) {
            if (nodes_of(i).message >= 0) wait(nodes_of(i).done_by, nodes_of(i).message);
            if (!is_staged(i)) continue;
            if (list_.paced_by[i] >= 0) wait(nodes_of(i).message, done_by(list_.paced_by[i]));
            if (at(i).size == 0) continue;
            const access_history::slots operand = staging.slots_of({staged(i), at(i).size});
            staging.writers(operand, [&](std::int64_t earlier) { wait(nodes_of(i).message, earlier); });
            staging.write(operand, nodes_of(i).done_by);
        }
    }

    bool may_fuse(std::int64_t i) {
        if (at(i).dst != rank_ || at(i).is_local() || !at(i).combines() || at(i).size == 0) return false;
        for (const std::int64_t neighbor : {i - 1, i + 1})
            if (neighbor >= 0 && neighbor < std::ssize(program_) && nodes_of(neighbor).message == nodes_of(i).message)
                return false;
        for (const std::int64_t before : list_.predecessors(i))
            if (before < list_.operations && at(before).step == at(i).step && at(before).src == rank_) return false;
        return true;
    }

    /// Sorts by predecessor, then by node, and removes duplicates: several edges of a message may wait for one node.
    void order_waits() {
        order_by(waits_, &pair::node, nodes_.size());
        order_by(waits_, &pair::before, nodes_.size());
        std::size_t kept = 0;
        for (std::size_t i = 0; i < waits_.size(); ++i)
            if (i == 0 || waits_[i] != waits_[i - 1]) waits_[kept++] = waits_[i];
        waits_.resize(kept);
    }

    plan_graph collect() {
        order_waits();
        for (const pair& w : waits_) ++node(w.node).waits_for;
        plan_graph graph{.nodes = owned_array<plan_graph::node>(std::span<const plan_graph::node>(nodes_)),
                         .sent = owned_array<memory_range>(std::span<const memory_range>(sent_)),
                         .received = owned_array<memory_range>(std::span<const memory_range>(received_)),
                         .first = owned_array<std::int64_t>(std::ssize(nodes_) + 1),
                         .after = owned_array<std::int64_t>(std::ssize(waits_)),
                         .staging = staging_.bytes()};
        for (std::size_t i = 0; i < waits_.size(); ++i) {
            ++graph.first[waits_[i].before + 1];
            graph.after[static_cast<std::int64_t>(i)] = waits_[i].node;
        }
        for (std::int64_t i = 0; i < graph.nodes.size(); ++i) graph.first[i + 1] += graph.first[i];
        return graph;
    }

    std::span<const edge> program_;
    std::span<const bytes_t> operands_;  // by edge: offset in input of a folded combination, or -1
    rank_t rank_;
    const dependency_list& list_;
    staging_places staging_;
    std::vector<bytes_t> staged_;  // of each incoming combine: where its operand is in staging
    std::vector<places> nodes_of_;
    std::vector<plan_graph::node> nodes_;
    std::vector<memory_range> sent_, received_;
    std::vector<pair> waits_;
    std::int64_t joins_ = 0;  // the first node that is a join of the dependency list
};

/// Returns the graph of one rank's program, from which it removes the copies that fold_copies() finds.
/// @pre `program` is in canonical order, without copies that vanish; the combines of a step end below 2^63 bytes
inline plan_graph make_plan_graph(std::vector<edge>& program, rank_t rank, const buffer_alias& alias, pacing paced,
                                  bytes_t staging_limit) {
    const std::vector<bytes_t> operands = fold_copies(program, rank, alias);
    const dependency_list list = dependencies(program, rank, alias, paced);
    return plan_graph_builder(program, operands, rank, list, staging_limit).build();
}

}}}  // namespace collsched::COLLSCHED_ABI::detail
