#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "collsched/core/checked.hpp"
#include "collsched/schedule/detail/plan_graph.hpp"
#include "collsched/schedule/edge_views.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// The tasks of all ranks of a schedule and their dependencies: the plan_graph of every rank, as the executor runs it,
/// with the two ends of every message matched. Immutable input of simulators.
///
/// Vertices are ordered by rank, and within a rank as in its plan_graph: messages (all edges of one step and pair) and
/// local work in program order, a combination after the message with its operand; then joins. O(edges + joins) memory,
/// about 100 bytes per vertex; O(n log n) time for n vertices.
class execution_graph {
  public:
    /// Work of a vertex. A join has none.
    enum class kind : std::uint8_t { send, receive, copy, combine, join };

    /// A vertex of the graph.
    struct node {
        execution_graph::kind kind = execution_graph::kind::join;  ///< work of the vertex
        rank_t rank = 0;                                           ///< rank that performs it
        bytes_t bytes = 0;                                         ///< of a whole message; 0 for a signal
        std::int64_t sequence = 0;   ///< of a message: its number among those of this pair and direction
        std::int64_t peer = -1;      ///< of a send its receive, of a receive its send
        std::int64_t pair = -1;      ///< of a message: number of its ordered pair of ranks, 0 .. pairs()-1
        std::int64_t waits_for = 0;  ///< number of predecessors on the same rank
    };

    /// Constructs the graph of the plans for these parameters, which are those of plan. A message whose two ends differ
    /// is an error. Failure: errors throw bad_argument, or give a graph without vertices whose check() returns them.
    /// @param x              schedule or algorithm
    /// @param binding        how input and output overlap
    /// @param paced          replaces the schedule's pacing
    /// @param staging_limit  bytes of staging of each rank, 0 or more
    template <schedulable X>
    explicit execution_graph(const X& x, binding binding = binding::separate, std::optional<pacing> paced = {},
                             bytes_t staging_limit = detail::default_staging) {
        const auto& s = lower(x);
        error_ = refuse_if(s.check());
        if (!error_ && paced && paced->window < 0) error_ = refuse_if({"window", paced->window, "0 or more"});
        if (!error_ && staging_limit < 0) error_ = refuse_if({"staging_limit", staging_limit, "0 bytes or more"});
        if (error_) return;
        ranks_ = s.ranks;
        std::vector<edge> program;
        std::vector<end_of_message> sends, receives;
        const contract contract = s.contract();
        for (rank_t r = 0; r < ranks_; ++r) {
            program.clear();
            const detail::buffer_alias alias = contract.alias(r, binding);
            for (const edge& e : collsched::program(s, r))
                if (!vanishes(alias, e)) program.push_back(e);
            if ((error_ = refuse_if(check_ranges(program)))) return;
            const detail::plan_graph graph = detail::make_plan_graph(program, r, alias, paced.value_or(s.pacing()),
                                                                     std::max(staging_limit, s.staging(r)));
            add_rank(r, program, graph, sends, receives);
        }
        first_of_rank_.push_back(count());
        first_after_.push_back(std::ssize(after_));
        match(sends, receives);
    }

    argument_error check() const { return error_; }
    /// Returns the number of ranks.
    rank_t ranks() const { return ranks_; }
    /// Returns the number of ordered pairs of ranks that exchange messages.
    std::int64_t pairs() const { return pairs_; }
    /// Returns all vertices, rank by rank.
    /// @return vertices, valid as long as the graph
    std::span<const node> nodes() const { return nodes_; }
    /// Returns vertex i.
    /// @param i  index, 0 .. nodes().size()-1
    const node& operator[](std::int64_t i) const { return nodes_[static_cast<std::size_t>(i)]; }
    /// Returns the first vertex of rank r. The vertices of rank r are first(r) .. first(r+1)-1.
    /// @param r  rank, 0 .. ranks()
    std::int64_t first(rank_t r) const { return first_of_rank_[static_cast<std::size_t>(r)]; }
    /// Returns the vertices that wait for vertex i, on the same rank. O(1).
    /// @param i  index, 0 .. nodes().size()-1
    /// @return indices of vertices, valid as long as the graph
    std::span<const std::int64_t> successors(std::int64_t i) const {
        const auto at = static_cast<std::size_t>(i);
        return std::span(after_).subspan(static_cast<std::size_t>(first_after_[at]),
                                         static_cast<std::size_t>(first_after_[at + 1] - first_after_[at]));
    }

  private:
    struct end_of_message {
        rank_t src, dst;
        std::int64_t node;

        bool same_pair(const end_of_message& other) const { return src == other.src && dst == other.dst; }
    };

    std::int64_t count() const { return std::ssize(nodes_); }

    /// Checks that ranges, and the staging of a step, end below 2^63.
    static argument_error check_ranges(std::span<const edge> program) {
        checked staged(0);
        for (std::size_t i = 0; i < program.size(); ++i) {
            const edge& e = program[i];
            if (i > 0 && program[i - 1].step != e.step) staged = 0;
            if (e.combines() && !e.is_local()) staged = staged + e.size;
            for (const auto& [name, offset] : {std::pair{"from_offset", e.from_offset}, {"into_offset", e.into_offset}})
                if (offset < 0 || !(checked(offset) + e.size).ok())
                    return {name, offset, "0 or more, its range below 2^63"};
            if (e.size < 0 || !staged.ok()) return {"size", e.size, "0 or more, combined bytes per step below 2^63"};
        }
        return {};
    }

    static kind kind_of(const detail::plan_graph::node& n, const edge& e) {
        switch (n.kind) {
            case detail::plan_graph::kind::send: return kind::send;
            case detail::plan_graph::kind::receive: return kind::receive;
            case detail::plan_graph::kind::local: return e.combines() ? kind::combine : kind::copy;
            case detail::plan_graph::kind::apply: return kind::combine;
            case detail::plan_graph::kind::join: break;
        }
        return kind::join;
    }

    void add_rank(rank_t rank, const std::vector<edge>& program, const detail::plan_graph& graph,
                  std::vector<end_of_message>& sends, std::vector<end_of_message>& receives) {
        const std::int64_t base = count();
        first_of_rank_.push_back(base);
        for (std::int64_t i = 0; i < graph.nodes.size(); ++i) {
            const detail::plan_graph::node& n = graph.nodes[i];
            nodes_.push_back({.rank = rank, .sequence = n.sequence, .waits_for = n.waits_for});
            first_after_.push_back(std::ssize(after_));
            for (std::int64_t k = graph.first[i]; k < graph.first[i + 1]; ++k) after_.push_back(base + graph.after[k]);
            if (n.kind == detail::plan_graph::kind::join) continue;
            const edge& e = program[static_cast<std::size_t>(n.edge)];
            nodes_.back().kind = kind_of(n, e);
            nodes_.back().bytes = n.is_message() ? graph.bytes(n) : e.size;
            if (n.is_message()) (e.src == rank ? sends : receives).push_back({e.src, e.dst, base + i});
        }
    }

    static argument_error one_sided(const end_of_message& odd) {
        return refuse_if({"src", odd.src, "a schedule that lists every transfer at both ends"});
    }

    /// Sorts the ends of messages by a rank; the order within a rank is stable. O(n + ranks).
    void order_by(rank_t end_of_message::* rank, std::vector<end_of_message>& ends) {
        for (const end_of_message& end : ends) {
            if (end.*rank < 0 || end.*rank >= ranks_) error_ = one_sided(end);
            if (error_) return;
        }
        detail::order_by(ends, rank, static_cast<std::size_t>(ranks_));
    }

    /// Matches sends with receives. Both ends number the messages of a pair in the order of the lists. The lists are
    /// sorted by rank.
    void match(std::vector<end_of_message>& sends, std::vector<end_of_message>& receives) {
        order_by(&end_of_message::dst, sends);
        order_by(&end_of_message::src, sends);
        order_by(&end_of_message::src, receives);
        for (std::size_t i = 0; i < std::max(sends.size(), receives.size()) && !error_; ++i) {
            if (i >= sends.size() || i >= receives.size() || !sends[i].same_pair(receives[i])) {
                error_ = one_sided(i < sends.size() ? sends[i] : receives[i]);
                break;
            }
            node& send = nodes_[static_cast<std::size_t>(sends[i].node)];
            node& receive = nodes_[static_cast<std::size_t>(receives[i].node)];
            send.peer = receives[i].node;
            receive.peer = sends[i].node;
            if (i == 0 || !sends[i].same_pair(sends[i - 1])) ++pairs_;
            send.pair = receive.pair = pairs_ - 1;
            if (send.bytes != receive.bytes)
                error_ = refuse_if({"size", receive.bytes, "the same size at both ends of a transfer"});
        }
        if (error_) nodes_.clear();
    }

    rank_t ranks_{};
    std::int64_t pairs_ = 0;
    std::vector<node> nodes_;
    std::vector<std::int64_t> first_of_rank_;
    std::vector<std::int64_t> first_after_, after_;
    argument_error error_;
};

}}  // namespace collsched::COLLSCHED_ABI
