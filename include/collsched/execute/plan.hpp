#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "collsched/core/owned_array.hpp"
#include "collsched/schedule/edge_views.hpp"
#include "collsched/schedule/detail/plan_graph.hpp"
#include "collsched/schedule/detail/schedule_ref.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// Identity of a plan: plans with equal keys are equal.
struct plan_key {
    std::uint64_t fingerprint = 0;  ///< of the schedule
    rank_t rank = 0;
    collsched::binding binding = collsched::binding::separate;
    step_t window = 0;
    bytes_t staging_limit = 0;

    static plan_key make(const auto& schedule, rank_t rank, collsched::binding binding, const pacing& pacing_override,
                         bytes_t staging_limit = default_staging) {
        return {schedule.fingerprint(), rank, binding, pacing_override.window, staging_limit};
    }
    bool operator==(const plan_key&) const = default;
};

}  // namespace detail

/// Program of one rank, ready to be run any number of times: its messages and local edges, their dependencies, and the
/// sizes of its buffers. Immutable, so that threads may share it. It is made from the rank's own edges: O(n log n +
/// pairs of edges whose ranges overlap) for n edges.
///
/// The constructor checks ranges against the buffers. It does not prove the schedule; verify() does.
class plan {
  public:
    using kind = detail::plan_graph::kind;  ///< operation of a node: send, receive, local, apply, join
    using node = detail::plan_graph::node;  ///< operation of the rank, with the number of nodes that it waits for
    struct buffers;                         ///< memory that is bound at a start; in plan_buffers.hpp
    struct local_operation;                 ///< copy or combination within the rank; in local_executor.hpp

    /// Default limit of staging: 512 KiB.
    static constexpr bytes_t default_staging = detail::default_staging;

    /// Plan without operations.
    plan() = default;

    /// Makes the plan of a rank.
    /// @param x                schedule or algorithm
    /// @param rank             0 .. p-1
    /// @param binding          how input and output overlap
    /// @param pacing_override  replaces the schedule's own pacing
    /// @param staging_limit    bytes of staging, 0 or more: receives whose operands fit side by side are posted together,
    ///                         others wait for combinations before them; the combines of one step always have room
    /// Failure: wrong parameters throw bad_argument, or give a plan whose check() reports them.
    template <schedulable X>
    plan(const X& x, rank_t rank, binding binding = binding::separate, std::optional<pacing> pacing_override = {},
         bytes_t staging_limit = default_staging) {
        detail::schedule_ref::visit(
            lower(x), [&](const detail::schedule_ref& s) { make(s, rank, binding, pacing_override, staging_limit); });
    }

    argument_error check() const { return error_; }
    /// Returns the identity of the plan: fingerprint, rank, binding, window and limit of staging.
    /// @return a key; plans with equal keys are equal
    const detail::plan_key& key() const { return key_; }
    /// Returns the rank of the plan.
    /// @return 0 .. p-1
    rank_t rank() const { return key_.rank; }
    /// Returns the fingerprint of the schedule.
    /// @return hash of its description, equal on all ranks
    std::uint64_t fingerprint() const { return key_.fingerprint; }
    /// Returns the edges of the rank, without copies that are not needed: their readers read input.
    /// @return edges in canonical order, valid as long as the plan
    std::span<const edge> edges() const { return edges_; }
    /// Returns the operations of the rank.
    /// @return nodes, valid as long as the plan; messages are in program order
    std::span<const node> nodes() const { return graph_.nodes; }
    /// Returns the memory of all sends.
    /// @return ranges of bytes; a send has those from node::first_part on
    std::span<const detail::memory_range> sent() const { return graph_.sent; }
    /// Returns the memory of all receives.
    /// @return ranges of bytes; a receive has those from node::first_part on
    std::span<const detail::memory_range> received() const { return graph_.received; }
    /// Returns the nodes that wait for node i. O(1).
    /// @param i  index of a node
    /// @return indices of nodes
    std::span<const std::int64_t> successors(std::int64_t i) const {
        return {graph_.after.begin() + graph_.first[i], graph_.after.begin() + graph_.first[i + 1]};
    }
    /// Returns the edge of a node; the first edge of a message.
    /// @param n  a node other than a join
    /// @return an element of edges()
    const edge& edge_of(const node& n) const { return edges_[n.edge]; }
    /// Returns the other rank of a message.
    /// @param n  node of a message
    /// @return rank, 0 .. p-1
    rank_t peer_of(const node& n) const { return n.kind == kind::send ? edge_of(n).dst : edge_of(n).src; }

    /// Returns the size of a message. O(its parts).
    /// @param message  node of a message
    /// @return bytes; 0 for a signal
    bytes_t bytes_of(const node& message) const { return graph_.bytes(message); }

    /// Returns how the buffers of a start must overlap.
    /// @return the buffer that is inside another one, and its offset in bytes; any() is false for separate buffers
    const detail::buffer_alias& alias() const { return alias_; }
    /// Returns whether input and output overlap as the binding of the plan requires. O(1).
    /// @param input   address of the input
    /// @param output  address of the output
    /// @return in place: one is at its offset in the other, or has no bytes; separate: they have no byte in common
    bool overlaps_as_bound(const std::byte* input, const std::byte* output) const {
        const byte_range input_range{address(input), input_}, output_range{address(output), output_};
        if (!alias_.any()) return !overlap(input_range, output_range);
        const bool input_is_guest = alias_.guest == buffer::input;
        const byte_range &guest = input_is_guest ? input_range : output_range,
                         &host = input_is_guest ? output_range : input_range;
        return guest.size == 0 || guest.offset == host.offset + alias_.offset;
    }
    /// Returns the size of input.
    /// @return smallest size in bytes, 0 or more
    bytes_t input_bytes() const { return input_; }
    /// Returns the size of output.
    /// @return smallest size in bytes, 0 or more
    bytes_t output_bytes() const { return output_; }
    /// Returns the size of scratch, which holds nothing between starts.
    /// @return smallest size in bytes, 0 or more
    bytes_t scratch_bytes() const { return scratch_; }
    /// Returns the size of staging, which holds nothing between starts.
    /// @return smallest size in bytes, 0 or more
    bytes_t staging_bytes() const { return staging_; }
    /// Returns the element of the schedule: combinations are of whole elements.
    /// @return bytes, 1 or more
    bytes_t element() const { return element_; }
    /// Returns whether some edge to this rank combines.
    bool combines() const { return combines_; }
    /// Returns whether start() requires a reduction: alike on all ranks, so that no rank waits for one that lacks it.
    /// @return true: the collective reduces, or some edge to this rank combines
    bool reduces() const { return reduces_; }
    /// Returns whether the schedule may combine operands in another order than that of ranks.
    /// @return true: start() requires a commutative reduction, if it has one
    bool reorders() const { return reorders_; }
    /// Returns the memory of the plan itself.
    /// @return bytes
    bytes_t footprint() const {
        return static_cast<bytes_t>(sizeof(plan)) + edges_.footprint() + graph_.nodes.footprint() +
               graph_.sent.footprint() + graph_.received.footprint() + graph_.first.footprint() +
               graph_.after.footprint();
    }

  private:
    static bytes_t address(const std::byte* data) {
        return static_cast<bytes_t>(reinterpret_cast<std::uintptr_t>(data));
    }

    void make(const detail::schedule_ref& s, rank_t rank, binding binding, std::optional<pacing> pacing_override,
              bytes_t staging_limit) {
        auto steps = program(s, rank);
        error_ = refuse_if(steps.check_walk());
        if (!error_ && pacing_override && pacing_override->window < 0)
            error_ = refuse_if({"window", pacing_override->window, "0 or more"});
        if (!error_ && staging_limit < 0) error_ = refuse_if({"staging_limit", staging_limit, "0 bytes or more"});
        if (error_) return;
        const pacing pace = pacing_override.value_or(s.pacing());
        key_ = detail::plan_key::make(s, rank, binding, pace, staging_limit);
        const contract contract = s.contract();
        element_ = contract.element;
        reorders_ = contract.commutative;
        reduces_ = collsched::reduces(contract.collective);
        input_ = contract.input_bytes(rank);
        output_ = contract.output_bytes(rank);
        scratch_ = s.scratch(rank);
        staging_ = s.staging(rank);
        alias_ = contract.alias(rank, binding);
        input_reach_ = contract.reach(rank, buffer::input, alias_);
        output_reach_ = contract.reach(rank, buffer::output, alias_);
        std::vector<edge> edges;
        for (const edge& e : steps)
            if (!detail::vanishes(alias_, e)) {
                edges.push_back(e);
                combines_ = combines_ || (e.combines() && e.dst == rank);
                reduces_ = reduces_ || combines_;
            }
        error_ = refuse_if(check_ranges(edges));
        if (error_) return;
        graph_ =
            detail::make_plan_graph(edges, rank, alias_, pace, staging_limit < staging_ ? staging_ : staging_limit);
        edges_ = owned_array<edge>(std::span<const edge>(edges));
        staging_ = graph_.staging;
    }

    /// With any schedule, the engine touches no byte outside the rank's buffers, does not write input, and moves no
    /// bytes onto themselves.
    argument_error check_ranges(std::span<const edge> edges) const {
        bytes_t waiting = 0;
        step_t step = 0;
        for (std::int64_t i = 0; i < std::ssize(edges); ++i) {
            const edge& e = edges[static_cast<std::size_t>(i)];
            if (e.step != step) waiting = 0;
            step = e.step;
            if (e.size < 0) return {"size", e.size, "0 bytes or more", i};
            if (e.src == rank() && outside(e.from, e.source()))
                return {"from_offset", e.from_offset, "bytes of the buffer", i};
            if (e.dst != rank()) continue;
            if (outside(e.into, e.target())) return {"into_offset", e.into_offset, "bytes of the buffer", i};
            if (e.into == buffer::input && e.size > 0) return {"into", 0, "output or scratch", i};
            if (overlaps_itself(e)) return {"into_offset", e.into_offset, "bytes that the edge does not read", i};
            if (!e.combines() || e.is_local()) continue;
            if (e.size > staging_ - waiting) return {"staging", staging_, "room for all that combines in a step", i};
            waiting += e.size;
        }
        return {};
    }
    bool outside(buffer area, byte_range bytes) const {
        const bytes_t size = area == buffer::input ? input_reach_ : area == buffer::output ? output_reach_ : scratch_;
        return bytes.offset < 0 || bytes.offset > size || bytes.size > size - bytes.offset;
    }

    /// Memory functions and reductions do not allow it.
    bool overlaps_itself(const edge& e) const {
        const location from = detail::locate(alias_, e.from, e.from_offset),
                       into = detail::locate(alias_, e.into, e.into_offset);
        return e.is_local() && from.where == into.where && overlap({from.offset, e.size}, {into.offset, e.size});
    }

    detail::plan_key key_;
    argument_error error_;
    owned_array<edge> edges_;
    detail::plan_graph graph_;
    detail::buffer_alias alias_;
    bytes_t input_ = 0, output_ = 0, scratch_ = 0, staging_ = 0;
    bytes_t input_reach_ = 0, output_reach_ = 0;  ///< with the buffer that overlaps them
    bytes_t element_ = 1;
    bool combines_ = false, reduces_ = false, reorders_ = false;
};

}}  // namespace collsched::COLLSCHED_ABI
