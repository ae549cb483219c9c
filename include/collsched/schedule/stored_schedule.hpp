#pragma once

#include <span>
#include <utility>

#include "collsched/core/owned_array.hpp"
#include "collsched/core/detail/sort.hpp"
#include "collsched/schedule/fingerprint.hpp"
#include "collsched/schedule/lowering.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Calls f(edge) for every edge of s, rank by rank in step order. O(edges), no memory.
/// @param s  a schedule whose check() reports no error
/// @param f  callable, f(edge)
template <schedule S, class F>
constexpr void for_each_send(const S& s, F f) {
    const step_t end = s.steps();
    for (rank_t r = 0; r < s.ranks; ++r)
        for (step_t k = s.next(r, 0); k < end; k = s.next(r, k + 1)) s.sends(r, k, f);
}

/// Returns the number of edges of s if it is at most `limit`; otherwise a number above `limit`, after the step in which
/// the count exceeds it.
/// @param s      a schedule whose check() reports no error
/// @param limit  0 or more
template <schedule S>
constexpr std::int64_t edges_up_to(const S& s, std::int64_t limit) {
    std::int64_t count = 0;
    for (rank_t r = 0; r < s.ranks && count <= limit; ++r)
        for (step_t k = s.next(r, 0); k < s.steps() && count <= limit; k = s.next(r, k + 1))
            s.sends(r, k, [&](const edge&) { ++count; });
    return count;
}

/// List of edges in canonical order; a schedule with random access to its edges. Returned by materialize() and by
/// readers of files.
///
/// Memory: 72 bytes per edge.
class stored_schedule {
  public:
    rank_t ranks = 1;  ///< number of ranks p; 1 if check() reports an error

    /// Schedule of a barrier of one rank, without edges and steps.
    constexpr stored_schedule() = default;

    /// Takes ownership of edges in any order and sorts them.
    ///
    /// @param contract     has the number of ranks
    /// @param steps        number of steps; every edge has a step below it
    /// @param paced        number of steps of a rank that may overlap
    /// @param scratch      bytes per rank
    /// @param staging      bytes per rank
    /// @param edges        edges of all ranks, in any order
    /// @param description  fingerprint
    /// Failure: check() reports wrong values; then the schedule has no edges.
    constexpr stored_schedule(const collsched::contract& contract, step_t steps, collsched::pacing paced,
                              owned_array<bytes_t> scratch, owned_array<bytes_t> staging, owned_array<edge> edges,
                              std::uint64_t description)
        : ranks(contract.ranks),
          contract_(contract),
          steps_(steps),
          pacing_(paced),
          scratch_(std::move(scratch)),
          staging_(std::move(staging)),
          edges_(std::move(edges)),
          fingerprint_(description) {
        error_ = check_parts();
        if (!error_) error_ = check_edges();
        if (error_) {
            edges_ = {};
            ranks = 1;
        }
        group_edges();
    }

    /// Schedule without edges whose check() returns `error`.
    /// @param error  an error
    constexpr explicit stored_schedule(const argument_error& error) : error_(error) {}

    /// Returns all edges in canonical order.
    /// @return edges, valid as long as this object
    constexpr std::span<const edge> edges() const& { return edges_; }
    std::span<const edge> edges() && = delete;
    constexpr step_t steps() const { return steps_; }

    constexpr step_t next(rank_t r, step_t k) const {
        const step_t sent_step = step_of(by_src_, lower_bound(by_src_, first_of_src_, r, k), first_of_src_[r + 1]);
        const step_t received_step = step_of(by_dst_, lower_bound(by_dst_, first_of_dst_, r, k), first_of_dst_[r + 1]);
        return sent_step < received_step ? sent_step : received_step;
    }
    constexpr void sends(rank_t r, step_t k, auto f) const { emit(by_src_, first_of_src_, r, k, f); }
    constexpr void receives(rank_t r, step_t k, auto f) const { emit(by_dst_, first_of_dst_, r, k, f); }

    /// Returns the number of edges to rank r from other ranks. O(1).
    /// @param r  rank, 0 .. ranks-1
    constexpr std::int64_t received(rank_t r) const { return first_of_dst_[r + 1] - first_of_dst_[r]; }

    constexpr bytes_t scratch(rank_t r) const { return scratch_[r]; }
    constexpr bytes_t staging(rank_t r) const { return staging_[r]; }
    constexpr collsched::pacing pacing() const { return pacing_; }
    /// Returns the contract without a copy.
    /// @return reference that is valid as long as this object
    constexpr const collsched::contract& contract() const { return contract_; }
    constexpr argument_error check() const { return error_; }
    constexpr std::uint64_t fingerprint() const { return fingerprint_; }

    /// Compares edges, steps, contract, sizes, pacing, fingerprint and error. O(edges + ranks).
    /// @param other  another schedule
    /// @return whether all are equal
    bool operator==(const stored_schedule& other) const = default;

  private:
    using index = owned_array<std::int64_t>;

    constexpr argument_error check_parts() const {
        if (argument_error error = check_contract(contract_)) return error;
        if (steps_ < 0 || steps_ >= step_t{1} << 62) return {"steps", steps_, "0 or more, less than 2^62"};
        if (pacing_.window < 0) return {"window", pacing_.window, "0 or more"};
        if (scratch_.size() != ranks) return {"scratch", scratch_.size(), "one size per rank"};
        if (staging_.size() != ranks) return {"staging", staging_.size(), "one size per rank"};
        for (rank_t r = 0; r < ranks; ++r) {
            if (scratch_[r] < 0) return {"scratch", scratch_[r], "0 bytes or more", r};
            if (staging_[r] < 0) return {"staging", staging_[r], "0 bytes or more", r};
        }
        return {};
    }

    /// Checks the edges, and sorts them if they are not in order.
    constexpr argument_error check_edges() {
        bool sorted = true;
        for (std::int64_t i = 0; i < edges_.size(); ++i) {
            const edge& e = edges_[i];
            if (e.step < 0 || e.step >= steps_) return {"step", e.step, "0 to steps-1", i};
            if (e.src < 0 || e.src >= ranks) return {"src", e.src, "0 to ranks-1", i};
            if (e.dst < 0 || e.dst >= ranks) return {"dst", e.dst, "0 to ranks-1", i};
            if (e.from > buffer::scratch) return {"from", static_cast<std::int64_t>(e.from), "a buffer", i};
            if (e.into > buffer::scratch) return {"into", static_cast<std::int64_t>(e.into), "a buffer", i};
            if (e.action > action::combine_after)
                return {"action", static_cast<std::int64_t>(e.action), "an action", i};
            sorted = sorted && (i == 0 || !precedes(e, edges_[i - 1]));
        }
        if (!sorted) sort_edges();
        return {};
    }

    /// Generated edges are ordered by (step, src): then only the edges of each cell are sorted.
    constexpr void sort_edges() {
        const auto cell_before = [](const edge& a, const edge& b) {
            return a.step != b.step ? a.step < b.step : a.src < b.src;
        };
        for (std::int64_t i = 1; i < edges_.size(); ++i)
            if (cell_before(edges_[i], edges_[i - 1])) return detail::sort(edges_.begin(), edges_.size(), precedes);
        for (std::int64_t first = 0, last = 0; first < edges_.size(); first = last) {
            while (last < edges_.size() && !cell_before(edges_[first], edges_[last])) ++last;
            detail::sort(edges_.begin() + first, last - first, precedes);
        }
    }

    /// Groups positions in edges_ by the rank at either end, in canonical order; local edges only under src.
    constexpr void group_edges() {
        first_of_src_ = first_of_dst_ = index(ranks + 1);
        for (const edge& e : edges_) {
            ++first_of_src_[e.src + 1];
            if (!e.is_local()) ++first_of_dst_[e.dst + 1];
        }
        for (rank_t r = 0; r < ranks; ++r) {
            first_of_src_[r + 1] += first_of_src_[r];
            first_of_dst_[r + 1] += first_of_dst_[r];
        }
        by_src_ = index(edges_.size());
        by_dst_ = index(first_of_dst_[ranks]);
        index next_of_src = first_of_src_, next_of_dst = first_of_dst_;
        for (std::int64_t i = 0; i < edges_.size(); ++i) {
            const edge& e = edges_[i];
            by_src_[next_of_src[e.src]++] = i;
            if (!e.is_local()) by_dst_[next_of_dst[e.dst]++] = i;
        }
    }

    constexpr std::int64_t lower_bound(const index& order, const index& first, rank_t r, step_t k) const {
        return detail::first_where(first[r], first[r + 1], [&](std::int64_t i) { return edges_[order[i]].step >= k; });
    }

    constexpr step_t step_of(const index& order, std::int64_t at, std::int64_t stop) const {
        return at < stop ? edges_[order[at]].step : steps_;
    }

    constexpr void emit(const index& order, const index& first, rank_t r, step_t k, auto& f) const {
        for (std::int64_t i = lower_bound(order, first, r, k); i < first[r + 1] && edges_[order[i]].step == k; ++i)
            f(edges_[order[i]]);
    }

    collsched::contract contract_;
    step_t steps_ = 0;
    collsched::pacing pacing_;
    owned_array<bytes_t> scratch_, staging_;
    owned_array<edge> edges_;
    index first_of_src_{2}, by_src_, first_of_dst_{2}, by_dst_;
    std::uint64_t fingerprint_ = 0;
    argument_error error_;
};

namespace detail {

/// Returns schedule s with the edges that each(f) passes to f, in order of rank and step. each() is called twice and
/// must pass the same edges.
template <schedule S, class Each>
constexpr stored_schedule stored(const S& s, Each generate) {
    owned_array<std::int64_t> position(s.steps() + 1);
    generate([&](const edge& e) { ++position[e.step + 1]; });
    for (step_t k = 0; k < s.steps(); ++k) position[k + 1] += position[k];
    owned_array<edge> edges(position[s.steps()]);
    generate([&](const edge& e) { edges[position[e.step]++] = e; });

    owned_array<bytes_t> scratch(s.ranks), staging(s.ranks);
    for (rank_t r = 0; r < s.ranks; ++r) {
        scratch[r] = s.scratch(r);
        staging[r] = s.staging(r);
    }
    return {s.contract(),       s.steps(),        s.pacing(),     std::move(scratch),
            std::move(staging), std::move(edges), s.fingerprint()};
}

}  // namespace detail

/// Returns the stored edges of x.
///
/// Failure: wrong parameters throw bad_argument; without exceptions check() of the result reports them. Complexity:
/// O(edges + ranks + steps) time and memory, plus sorting within each step of a rank.
/// @param x  schedule or algorithm
template <schedulable X>
constexpr stored_schedule materialize(const X& x) {
    const auto& s = lower(x);
    if (argument_error error = refuse_if(s.check())) return stored_schedule(error);
    return detail::stored(s, [&](auto f) { for_each_send(s, f); });
}

}}  // namespace collsched::COLLSCHED_ABI
