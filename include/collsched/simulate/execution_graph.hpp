#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "collsched/schedule/dependencies.hpp"
#include "collsched/schedule/edge_views.hpp"

namespace collsched {

/// All that all ranks of a schedule do when it is run, and what waits for what: every rank's dependency list, the same that
/// a plan is made of, with the two ends of every message put together. What simulators go through; immutable.
///
/// Nodes stand rank by rank; within a rank its edges in program order, then joins, then the receives of incoming combines.
/// O(edges + joins) memory, about 100 bytes a node; O(n log n) time for n of them.
class execution_graph {
  public:
    enum class kind : std::uint8_t { send, receive, copy, combine, join };

    struct node {
        kind what = kind::join;
        rank_t rank = 0;
        bytes_t bytes = 0;
        std::int64_t peer = -1;      ///< of a send its receive, of a receive its send
        std::int64_t pair = -1;      ///< of both: which ordered pair of ranks they belong to, 0 .. pairs()-1
        std::int64_t waits_for = 0;  ///< how many nodes of the same rank come before
    };

    /// The order that a plan would keep for this binding; `paced` overrides the schedule's own pacing. Wrong parameters
    /// throw, or give a graph without nodes whose check() tells them, as does a transfer that its two ends tell differently.
    template <schedulable X>
    explicit execution_graph(const X& x, binding how = binding::separate, std::optional<pacing> paced = {}) {
        const auto& s = lower(x);
        error_ = refuse_if(s.check());
        if (!error_ && paced && paced->window < 0) error_ = refuse_if({"window", paced->window, "0 or more"});
        if (error_) return;
        ranks_ = s.ranks;
        building made;
        const contract promise = s.contract();
        for (rank_t r = 0; r < ranks_; ++r) {
            first_of_rank_.push_back(count());
            made.program.clear();
            const buffer_alias alias = promise.alias(r, how);
            for (const edge& e : collsched::program(s, r))
                if (!vanishes(alias, e)) made.program.push_back(e);
            add_rank(made, r, dependencies(made.program, r, alias, paced.value_or(s.pacing())));
        }
        first_of_rank_.push_back(count());
        match(made);
        link(made.waits);
    }

    error check() const { return error_; }
    rank_t ranks() const { return ranks_; }
    /// How many ordered pairs of ranks exchange messages.
    std::int64_t pairs() const { return pairs_; }
    std::span<const node> nodes() const { return nodes_; }
    const node& operator[](std::int64_t i) const { return nodes_[static_cast<std::size_t>(i)]; }
    /// The nodes of rank r are first(r) .. first(r+1)-1.
    std::int64_t first(rank_t r) const { return first_of_rank_[static_cast<std::size_t>(r)]; }
    std::span<const std::int64_t> successors(std::int64_t i) const {
        return {after_.begin() + first_after_[i], after_.begin() + first_after_[i + 1]};
    }

  private:
    struct wait {
        std::int64_t node, before;
    };
    struct end_of_transfer {
        rank_t src, dst;
        std::int64_t place;  // in the order of the programs
        std::int64_t node;

        bool same_pair(const end_of_transfer& other) const { return src == other.src && dst == other.dst; }
    };
    struct building {
        std::vector<edge> program;  // of the rank at hand
        std::vector<wait> waits;
        std::vector<end_of_transfer> sends, receives;
    };

    std::int64_t count() const { return std::ssize(nodes_); }

    static kind kind_of(const edge& e, rank_t rank) {
        if (e.combines() && e.dst == rank) return kind::combine;
        if (e.is_local()) return kind::copy;
        return e.src == rank ? kind::send : kind::receive;
    }

    void add_rank(building& made, rank_t rank, const dependency_list& list) {
        const std::int64_t base = count();
        for (std::int64_t i = 0; i < list.nodes(); ++i) {
            nodes_.push_back({.rank = rank});
            for (const std::int64_t before : list.predecessors(i)) made.waits.push_back({base + i, base + before});
            if (i >= list.operations) continue;
            const edge& e = made.program[static_cast<std::size_t>(i)];
            nodes_.back().what = kind_of(e, rank);
            nodes_.back().bytes = e.size;
            if (nodes_.back().what == kind::send) made.sends.push_back({e.src, e.dst, base + i, base + i});
            if (nodes_.back().what == kind::receive) made.receives.push_back({e.src, e.dst, base + i, base + i});
        }
        add_receives_of_combines(made, rank, list, base);
    }

    /// An incoming combine is received into staging first, as soon as pacing lets it and the combines of the last step that
    /// had any are done, for they use the same room.
    void add_receives_of_combines(building& made, rank_t rank, const dependency_list& list, std::int64_t base) {
        step_t current = -1;
        std::int64_t room_free = -1;
        std::vector<std::int64_t> users;
        for (std::int64_t i = 0; i < list.operations; ++i) {
            const edge& e = made.program[static_cast<std::size_t>(i)];
            if (!e.combines() || e.is_local() || e.dst != rank) continue;
            if (e.step != current && !users.empty()) {
                room_free = count();
                nodes_.push_back({.rank = rank});
                for (const std::int64_t user : users) made.waits.push_back({room_free, user});
                users.clear();
            }
            current = e.step;
            users.push_back(base + i);
            const std::int64_t received = count();
            nodes_.push_back({.what = kind::receive, .rank = rank, .bytes = e.size});
            made.receives.push_back({e.src, e.dst, base + i, received});
            made.waits.push_back({base + i, received});
            if (list.paced_by[i] >= 0) made.waits.push_back({received, base + list.paced_by[i]});
            if (room_free >= 0) made.waits.push_back({received, room_free});
        }
    }

    /// Both ends list the transfers of a pair in the same order.
    void match(building& made) {
        for (auto* ends : {&made.sends, &made.receives})
            std::ranges::sort(*ends, [](const end_of_transfer& a, const end_of_transfer& b) {
                if (a.src != b.src) return a.src < b.src;
                return a.dst != b.dst ? a.dst < b.dst : a.place < b.place;
            });
        for (std::size_t i = 0; i < std::max(made.sends.size(), made.receives.size()) && !error_; ++i) {
            const bool both = i < made.sends.size() && i < made.receives.size();
            if (!both || !made.sends[i].same_pair(made.receives[i])) {
                const end_of_transfer& odd = i < made.sends.size() ? made.sends[i] : made.receives[i];
                error_ = refuse_if({"src", odd.src, "a schedule that tells every transfer at both ends"});
                break;
            }
            node& send = nodes_[static_cast<std::size_t>(made.sends[i].node)];
            node& receive = nodes_[static_cast<std::size_t>(made.receives[i].node)];
            send.peer = made.receives[i].node;
            receive.peer = made.sends[i].node;
            if (i == 0 || !made.sends[i].same_pair(made.sends[i - 1])) ++pairs_;
            send.pair = receive.pair = pairs_ - 1;
            if (send.bytes != receive.bytes)
                error_ = refuse_if({"size", receive.bytes, "the same size at both ends of a transfer"});
        }
        if (error_) nodes_.clear();
    }

    void link(const std::vector<wait>& waits) {
        if (error_) return;
        first_after_ = owned_array<std::int64_t>(count() + 1);
        after_ = owned_array<std::int64_t>(std::ssize(waits));
        for (const wait& w : waits) {
            ++nodes_[static_cast<std::size_t>(w.node)].waits_for;
            ++first_after_[w.before + 1];
        }
        for (std::int64_t i = 0; i < count(); ++i) first_after_[i + 1] += first_after_[i];
        owned_array<std::int64_t> next = first_after_;
        for (const wait& w : waits) after_[next[w.before]++] = w.node;
    }

    rank_t ranks_ = 0;
    std::int64_t pairs_ = 0;
    std::vector<node> nodes_;
    std::vector<std::int64_t> first_of_rank_;
    owned_array<std::int64_t> first_after_, after_;
    error error_;
};

}  // namespace collsched
