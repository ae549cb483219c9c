#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "collsched/core/detail/bit_rows.hpp"
#include "collsched/core/detail/gap_array.hpp"
#include "collsched/core/edge.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/schedule/detail/schedule_ref.hpp"
#include "collsched/schedule/stored_schedule.hpp"
#include "collsched/verify/detail/replay.hpp"
#include "collsched/verify/verdict.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// For each rank, the set of ranks whose signals it has received, directly or not, during a replay. 2 * ranks^2 bits.
class signal_reach {
  public:
    constexpr explicit signal_reach(rank_t ranks) : after_(ranks, ranks) {
        for (rank_t r = 0; r < ranks; ++r) after_.add(r, r);
    }

    /// @param edges  all edges of a step
    constexpr void step(std::span<const edge> edges) {
        before_ = after_;
        for (const edge& e : edges) after_.add_row(e.dst, before_, e.src);
    }

    constexpr bool has(rank_t r, rank_t other) const { return after_.has(r, other); }

  private:
    bit_rows after_, before_ = after_;
};

/// Edges of a schedule, checked while they are collected.
class schedule_edges {
  public:
    /// @param most_kept  number of edges above which they are generated again rather than kept
    constexpr explicit schedule_edges(std::int64_t most_kept = 1 << 18) : most_kept_(most_kept) {}

    /// Collects the edges and checks next() and sends().
    constexpr verdict collect(const schedule_ref& s) {
        const step_t steps = s.steps();
        of_step_ = owned_array<std::int64_t>(steps);
        for (rank_t r = 0; r < s.ranks; ++r)
            for (step_t k = 0; k < steps; ++k) {
                const step_t next = s.next(r, k);
                if (next < k) return {verdict::kind::bad_edge, k, r};
                if ((k = next) >= steps) break;
                if (const verdict fault = collect(s, r, k); !fault.ok()) return fault;
            }
        place(s);
        return {};
    }

    /// Returns the edges in canonical order. The caller may move them.
    constexpr owned_array<edge>& edges() { return edges_; }
    /// Returns whether an edge has an invalid buffer or action.
    constexpr bool unknown() const { return unknown_; }

    /// Checks that every rank receives exactly the edges that its peers send.
    constexpr verdict match(const schedule_ref& s) const {
        owned_array<std::int64_t> first(s.ranks + 2), by_target(edges_.size());
        for (const edge& e : edges_) first[(e.src == e.dst ? s.ranks : e.dst) + 1] += 1;
        for (rank_t r = 0; r <= s.ranks; ++r) first[r + 1] += first[r];
        for (std::int64_t i = 0; i < edges_.size(); ++i)
            by_target[first[edges_[i].src == edges_[i].dst ? s.ranks : edges_[i].dst]++] = i;
        gap_array<edge> received;
        // first[r] is now the end of the edges into r.
        for (rank_t r = 0, begin = 0; r < s.ranks; begin = first[r++])
            if (const verdict fault = match(s, r, {by_target.begin() + begin, by_target.begin() + first[r]}, received);
                !fault.ok())
                return fault;
        return {};
    }

  private:
    constexpr verdict collect(const schedule_ref& s, rank_t r, step_t k) {
        verdict fault{};
        const std::int64_t before = kept_.size();
        s.sends(r, k, [&](const edge& e) {
            if (e.step != k || e.src != r || e.dst < 0 || e.dst >= s.ranks || e.size < 0) {
                fault = {verdict::kind::bad_edge, k, r, e.from, e.from_offset};
                return;
            }
            if (e.from > buffer::scratch || e.into > buffer::scratch || e.action > action::combine_after)
                unknown_ = true;
            ++of_step_[k];
            if (keeps_) kept_.push_back(e);
        });
        if (before > most_kept_) keeps_ = false;
        if (const std::int64_t n = kept_.size() - before; n > 1) sort(kept_.joined().data() + before, n, precedes);
        return fault;
    }

    /// Sorts the edges into canonical order.
    constexpr void place(const schedule_ref& s) {
        std::int64_t all = 0;
        for (std::int64_t& n : of_step_) {
            const std::int64_t count = n;
            n = all;
            all += count;
        }
        edges_ = owned_array<edge>(all);
        edge* const edges = edges_.begin();
        if (keeps_) {
            const std::span<const edge> kept = kept_.joined();
            const edge* const end = kept.data() + kept.size();
            for (const edge* e = kept.data(); e != end; ++e) edges[of_step_[e->step]++] = *e;
            kept_.clear();
            return;
        }
        for (rank_t r = 0; r < s.ranks; ++r)
            for (step_t k = s.next(r, 0); k < s.steps(); k = s.next(r, k + 1)) {
                std::int64_t& next = of_step_[k];
                const std::int64_t before = next;
                s.sends(r, k, [&](const edge& e) { edges[next++] = e; });
                if (next - before > 1) sort(edges + before, next - before, precedes);
            }
    }

    /// Edges that enter a rank, as positions in edges_, in canonical order.
    struct entering {
        const std::int64_t *next, *end;
    };
    constexpr verdict match(const schedule_ref& s, rank_t r, entering sent, gap_array<edge>& received) const {
        std::int64_t unreceived = 0;
        for (step_t k = s.next(r, 0); k < s.steps(); k = s.next(r, k + 1)) {
            received.clear();
            s.receives(r, k, [&](const edge& e) { received.push_back(e); });
            if (received.size() > 1) sort(received.joined().data(), received.size(), precedes);
            for (; sent.next != sent.end && edges_[*sent.next].step < k; ++sent.next) ++unreceived;
            std::int64_t alike = 0;
            for (; sent.next != sent.end && edges_[*sent.next].step == k; ++sent.next, ++alike)
                if (alike == received.size() || !(received[alike] == edges_[*sent.next]))
                    return {verdict::kind::unmatched, k, r, buffer::output, alike};
            if (alike < received.size()) return {verdict::kind::unmatched, k, r, buffer::output, alike};
        }
        unreceived += sent.end - sent.next;
        if (unreceived != 0) return {verdict::kind::unmatched, s.steps(), r, buffer::output, unreceived};
        return {};
    }

    std::int64_t most_kept_;
    owned_array<std::int64_t> of_step_;
    gap_array<edge> kept_;  // by rank and step, unless generating them again is cheaper than the memory
    bool keeps_ = true;
    owned_array<edge> edges_;
    bool unknown_ = false;
};

/// Returns s as a stored schedule with these edges.
constexpr stored_schedule with_edges(const schedule_ref& s, owned_array<edge> edges) {
    owned_array<bytes_t> scratch(s.ranks), staging(s.ranks);
    for (rank_t r = 0; r < s.ranks; ++r) {
        scratch[r] = s.scratch(r);
        staging[r] = s.staging(r);
    }
    return {s.contract(), s.steps(), s.pacing(), std::move(scratch), std::move(staging), std::move(edges), 0};
}

/// After a barrier every rank must have received a signal, direct or not, from every other rank.
constexpr verdict check_signals(const stored_schedule& s, const signal_reach& signals) {
    for (rank_t r = 0; r < s.ranks; ++r)
        for (rank_t other = 0; other < s.ranks; ++other)
            if (!signals.has(r, other)) return {verdict::kind::missing_signal, s.steps(), r, buffer::output, other};
    return {};
}

/// Replays all edges step by step.
/// @param state  the replay of these edges, at its beginning
/// @param edges  all edges, in canonical order
/// @param after  callable, after(edges of a step), called behind each step
template <class Operands>
constexpr verdict replay_steps(basic_replay<Operands>& state, std::span<const edge> edges, auto after) {
    const edge* const all = edges.data();
    for (std::size_t first = 0, last = 0; first < edges.size(); first = last) {
        while (last < edges.size() && all[last].step == all[first].step) ++last;
        const std::span<const edge> step(all + first, last - first);
        if (verdict fault = state.step(step); !fault.ok()) return fault;
        after(step);
    }
    return {};
}

/// Replays the edges of a schedule, in canonical order, and compares the outputs with the contract.
struct contract_proof {
    collsched::binding binding;

    constexpr verdict operator()(const stored_schedule& s, std::span<const edge> edges) const {
        const bool barrier = s.contract().collective == collective::barrier;
        replay state(s, edges, binding);
        signal_reach signals(barrier ? s.ranks : 0);
        const auto add_signals = [&](std::span<const edge> step) {
            if (barrier) signals.step(step);
        };
        if (const verdict fault = replay_steps(state, edges, add_signals); !fault.ok()) return fault;
        return barrier ? check_signals(s, signals) : state.result();
    }
};

constexpr verdict refused(const argument_error& fault) {
    if (!std::is_constant_evaluated()) refuse_if(fault);
    return {.finding = verdict::kind::bad_argument, .argument = fault};
}

/// Returns proof(stored schedule, its edges) of a schedule that is not stored, or the first error of its members.
template <class Proof>
constexpr verdict prove_generated(const schedule_ref& s, const Proof& proof) {
    schedule_edges collected;
    if (const verdict fault = collected.collect(s); !fault.ok()) return fault;
    const stored_schedule stored =
        with_edges(s, collected.unknown() ? std::move(collected.edges()) : owned_array<edge>());
    if (const argument_error fault = stored.check()) return refused(fault);  // invalid sizes, pacing or buffers
    if (const verdict fault = collected.match(s); !fault.ok()) return fault;
    return proof(stored, collected.edges());
}

/// Returns proof(stored schedule, its edges), or the first error of the schedule's parameters or members.
template <schedulable X, class Proof>
constexpr verdict prove_with(const X& x, const Proof& proof) {
    const auto& s = lower(x);
    if (const argument_error fault = s.check()) return refused(fault);
    if constexpr (std::same_as<X, stored_schedule>) return proof(x, x.edges());
    else return schedule_ref::visit(s, [&](const schedule_ref& any) { return prove_generated(any, proof); });
}

}  // namespace detail

/// Replays a schedule symbolically and checks it against its contract: every range is within its buffer, no byte is
/// read before it is written, the rules of a step hold, sent and received edges are equal, and outputs have the
/// required bytes and operand order.
///
/// @param x        schedule or algorithm
/// @param binding  separate buffers, or in place
/// @return the first error, or a verdict that is ok()
/// Failure: invalid parameters throw bad_argument; during constant evaluation and without exceptions:
/// verdict::kind::bad_argument.
///
/// Complexity, with segments being the longest ranges of a buffer with one origin: O(edges + segments of all ranks)
/// memory; O((edges + segments moved) log segments) time if buffers are written in ascending order. An allgather or
/// allreduce has few segments per rank, an alltoall p. Constant evaluation: up to 32 ranks for O(p log p) edges.
template <schedulable X>
constexpr verdict verify(const X& x, binding binding = binding::separate) {
    return detail::prove_with(x, detail::contract_proof{binding});
}

}}  // namespace collsched::COLLSCHED_ABI
