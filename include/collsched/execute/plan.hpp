#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "collsched/core/owned_array.hpp"
#include "collsched/core/sort.hpp"
#include "collsched/schedule/dependencies.hpp"
#include "collsched/schedule/edge_views.hpp"

namespace collsched {

/// What one rank does, ready to be run any number of times: its edges, what each waits for, and how much memory it
/// needs. Immutable. Made from the rank's own edges alone: O(n log n + pairs of edges whose ranges overlap) for n of
/// them.
///
/// A node is a send, a local copy or combine, a receive, or a join. An incoming combine is two nodes: a receive into
/// staging and the combination itself. Ranges are checked against the buffers; whether the schedule is right is for
/// verify to say.
class plan {
  public:
    enum class kind : std::uint8_t { send, receive, local, apply, join };

    struct node {
        kind what = kind::join;
        std::int64_t edge = -1;      ///< into edges(); of both nodes of an incoming combine
        std::int64_t sequence = 0;   ///< of send and receive: number among the messages of this pair and direction
        bytes_t staged = 0;          ///< of an incoming combine: offset in staging
        std::int64_t waits_for = 0;  ///< how many nodes come before
    };

    plan() = default;

    /// Wrong parameters or a rank outside throw, or give a plan whose check() tells them.
    template <schedule S>
    plan(const S& s, rank_t rank, binding how = binding::separate) : plan(s, rank, how, s.pacing()) {}
    template <algorithm A>
    plan(const A& a, rank_t rank, binding how = binding::separate) : plan(lower(a), rank, how) {}

    /// The same with a pacing of the caller's choice.
    template <algorithm A>
    plan(const A& a, rank_t rank, binding how, pacing paced) : plan(lower(a), rank, how, paced) {}
    template <schedule S>
    plan(const S& s, rank_t rank, binding how, pacing paced) : rank_(rank) {
        auto own = program(s, rank);
        error_ = refuse_if(own.check_walk());
        if (!error_ && paced.window < 0) error_ = refuse_if({"window", paced.window, "0 or more"});
        if (error_) return;
        const contract promise = s.contract();
        reorders_ = promise.commutative;
        input_ = promise.input_bytes(rank);
        output_ = promise.output_bytes(rank);
        scratch_ = s.scratch(rank);
        staging_ = s.staging(rank);
        alias_ = promise.alias(rank, how);
        input_reach_ = promise.reach(rank, buffer::input, alias_);
        output_reach_ = promise.reach(rank, buffer::output, alias_);
        std::vector<edge> kept;
        for (const edge& e : own)
            if (!vanishes(alias_, e)) kept.push_back(e);
        edges_ = owned_array<edge>(std::span<const edge>(kept));
        error_ = refuse_if(check_ranges());
        if (error_) {
            edges_ = {};
            return;
        }
        build(dependencies(edges_, rank, alias_, paced));
    }

    error check() const { return error_; }
    rank_t rank() const { return rank_; }
    std::span<const edge> edges() const { return edges_; }
    std::span<const node> nodes() const { return nodes_; }
    std::span<const std::int64_t> successors(std::int64_t i) const {
        return {after_.begin() + first_[i], after_.begin() + first_[i + 1]};
    }
    const edge& edge_of(const node& n) const { return edges_[n.edge]; }

    /// How the buffers that it is started with must lie in each other.
    const buffer_alias& alias() const { return alias_; }
    bytes_t input_bytes() const { return input_; }
    bytes_t output_bytes() const { return output_; }
    bytes_t scratch_bytes() const { return scratch_; }
    bytes_t staging_bytes() const { return staging_; }
    bool combines() const { return combines_; }
    /// The schedule may combine operands in another order than that of ranks.
    bool reorders() const { return reorders_; }

  private:
    struct wait {
        std::int64_t node, before;
    };

    void build(const dependency_list& list) {
        std::vector<node> nodes(static_cast<std::size_t>(list.nodes()));
        std::vector<wait> waits;
        for (std::int64_t i = 0; i < list.nodes(); ++i) {
            if (i < list.operations) nodes[static_cast<std::size_t>(i)] = node{.what = kind_of(edges_[i]), .edge = i};
            for (const std::int64_t before : list.predecessors(i)) waits.push_back({i, before});
        }
        number_messages(nodes);
        stage_combines(nodes, waits, list);
        for (const wait& w : waits) ++nodes[static_cast<std::size_t>(w.node)].waits_for;
        nodes_ = owned_array<node>(std::span<const node>(nodes));
        first_ = owned_array<std::int64_t>(nodes_.size() + 1);
        after_ = owned_array<std::int64_t>(std::ssize(waits));
        for (const wait& w : waits) ++first_[w.before + 1];
        for (std::int64_t i = 0; i < nodes_.size(); ++i) first_[i + 1] += first_[i];
        owned_array<std::int64_t> next = first_;
        for (const wait& w : waits) after_[next[w.before]++] = w.node;
    }

    /// Whatever the schedule says, the engine touches no byte outside the rank's buffers, and does not write input.
    error check_ranges() const {
        bytes_t waiting = 0;
        for (std::int64_t i = 0; i < edges_.size(); ++i) {
            const edge& e = edges_[i];
            if (i > 0 && edges_[i - 1].step != e.step) waiting = 0;
            if (e.size < 0) return {"size", e.size, "0 bytes or more", i};
            if (e.src == rank_ && outside(e.from, e.source()))
                return {"from_offset", e.from_offset, "bytes of the buffer", i};
            if (e.dst != rank_) continue;
            if (outside(e.into, e.target())) return {"into_offset", e.into_offset, "bytes of the buffer", i};
            if (e.into == buffer::input && e.size > 0) return {"into", 0, "output or scratch", i};
            if (!e.combines() || e.is_local()) continue;
            if (e.size > staging_ - waiting) return {"staging", staging_, "room for all that combines in a step", i};
            waiting += e.size;
        }
        return {};
    }
    bool outside(buffer where, byte_range range) const {
        const bytes_t size = where == buffer::input ? input_reach_ : where == buffer::output ? output_reach_ : scratch_;
        return range.offset < 0 || range.offset > size || range.size > size - range.offset;
    }

    kind kind_of(const edge& e) const {
        if (e.is_local()) return kind::local;
        if (e.src == rank_) return kind::send;
        return e.combines() ? kind::apply : kind::receive;
    }

    /// Both ends list the edges of a pair in canonical order, so they give a message the same number.
    void number_messages(std::vector<node>& nodes) const {
        struct message {
            rank_t peer;
            bool sent;
            std::int64_t edge;
        };
        std::vector<message> messages;
        for (std::int64_t i = 0; i < edges_.size(); ++i)
            if (const edge& e = edges_[i]; !e.is_local())
                messages.push_back({e.src == rank_ ? e.dst : e.src, e.src == rank_, i});
        sort(messages.data(), std::ssize(messages), [](const message& a, const message& b) {
            if (a.peer != b.peer) return a.peer < b.peer;
            return a.sent != b.sent ? a.sent : a.edge < b.edge;
        });
        std::int64_t sequence = 0;
        for (std::size_t i = 0; i < messages.size(); ++i) {
            const bool same_pair =
                i > 0 && messages[i].peer == messages[i - 1].peer && messages[i].sent == messages[i - 1].sent;
            sequence = same_pair ? sequence + 1 : 0;
            nodes[static_cast<std::size_t>(messages[i].edge)].sequence = sequence;
        }
    }

    /// Gives every incoming combine a receive of its own, into a piece of staging. The pieces of one step lie side by
    /// side; a step with combines takes the room over when those of the last such step are applied.
    void stage_combines(std::vector<node>& nodes, std::vector<wait>& waits, const dependency_list& list) {
        step_t current = -1;
        bytes_t used = 0;
        std::int64_t room_free = -1;      // the join after which this step may use staging
        std::vector<std::int64_t> users;  // combines of the current step
        for (std::int64_t i = 0; i < edges_.size(); ++i) {
            if (edges_[i].combines()) combines_ = true;
            if (nodes[static_cast<std::size_t>(i)].what != kind::apply) continue;
            if (edges_[i].step != current) {
                current = edges_[i].step;
                used = 0;
                if (!users.empty()) {
                    room_free = std::ssize(nodes);
                    nodes.push_back({});
                    for (const std::int64_t user : users) waits.push_back({room_free, user});
                    users.clear();
                }
            }
            users.push_back(i);
            node& apply = nodes[static_cast<std::size_t>(i)];
            apply.staged = used;
            used += edges_[i].size;
            node arrival = apply;
            arrival.what = kind::receive;
            const std::int64_t received = std::ssize(nodes);
            nodes.push_back(arrival);
            waits.push_back({i, received});
            if (list.paced_by[i] >= 0) waits.push_back({received, list.paced_by[i]});
            if (room_free >= 0) waits.push_back({received, room_free});
        }
    }

    rank_t rank_ = 0;
    error error_;
    owned_array<edge> edges_;
    owned_array<node> nodes_;
    owned_array<std::int64_t> first_, after_;
    buffer_alias alias_;
    bytes_t input_ = 0, output_ = 0, scratch_ = 0, staging_ = 0;
    bytes_t input_reach_ = 0, output_reach_ = 0;  ///< with what lies in them
    bool combines_ = false, reorders_ = false;
};

}  // namespace collsched
