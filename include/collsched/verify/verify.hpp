#pragma once

#include <concepts>
#include <type_traits>

#include "collsched/core/gap_array.hpp"
#include "collsched/schedule/stored_schedule.hpp"
#include "collsched/verify/heard_ranks.hpp"
#include "collsched/verify/replay.hpp"
#include "collsched/verify/verdict.hpp"

namespace collsched {

namespace detail {

/// Do next() and the edges keep to what a schedule must answer? The edges go to `kept` where it is not null.
template <schedule S>
constexpr verdict check_answers(const S& s, gap_array<edge>* kept) {
    verdict wrong{};
    for (rank_t r = 0; r < s.ranks; ++r) {
        for (step_t k = 0; k < s.steps(); ++k) {
            const step_t next = s.next(r, k);
            if (next < k) return {finding::bad_edge, k, r};
            if ((k = next) >= s.steps()) break;
            s.sends(r, k, [&](const edge& e) {
                if (e.step != k || e.src != r || e.dst < 0 || e.dst >= s.ranks || e.size < 0)
                    wrong = {finding::bad_edge, k, r, e.from, e.from_offset};
                else if (kept != nullptr) kept->push_back(e);
            });
            if (!wrong.ok()) return wrong;
        }
    }
    return wrong;
}

/// The schedule with these edges of it, or where there are none with those that it tells.
template <schedule S>
constexpr stored_schedule stored_with(const S& s, gap_array<edge>& kept) {
    if (kept.empty()) return materialise(s);
    return stored(s, [&](auto f) {
        for (const edge& e : kept.joined()) f(e);
    });
}

/// Does every rank receive exactly what the others send it?
template <schedule S>
constexpr verdict check_matching(const S& s, const stored_schedule& stored) {
    gap_array<edge> told;
    for (rank_t r = 0; r < s.ranks; ++r) {
        std::int64_t unheard = stored.received(r);
        for (step_t k = s.next(r, 0); k < s.steps(); k = s.next(r, k + 1)) {
            told.clear();
            s.receives(r, k, [&](const edge& e) { told.push_back(e); });
            if (told.size() > 1) sort(told.joined().data(), told.size(), precedes);
            std::int64_t sent = 0, alike = 0;
            stored.receives(r, k, [&](const edge& e) {
                if (alike == sent && sent < told.size() && told[sent] == e) ++alike;
                ++sent;
            });
            if (alike < sent || alike < told.size()) return {finding::unmatched, k, r, buffer::output, alike};
            unheard -= sent;
        }
        if (unheard != 0) return {finding::unmatched, s.steps(), r, buffer::output, unheard};
    }
    return {};
}

/// After a barrier every rank has heard, directly or not, from every other.
constexpr verdict check_heard(const stored_schedule& s, const heard_ranks& heard) {
    for (rank_t r = 0; r < s.ranks; ++r)
        for (rank_t other = 0; other < s.ranks; ++other)
            if (!heard.has(r, other)) return {finding::not_heard, s.steps(), r, buffer::output, other};
    return {};
}

constexpr verdict replay_all(const stored_schedule& s, binding how) {
    const bool barrier = s.promise().what == collective::barrier;
    replay state(s, how);
    heard_ranks heard(barrier ? s.ranks : 0);
    const auto edges = s.edges();
    for (std::size_t first = 0, last = 0; first < edges.size(); first = last) {
        while (last < edges.size() && edges[last].step == edges[first].step) ++last;
        const auto step = edges.subspan(first, last - first);
        if (verdict wrong = state.step(step); !wrong.ok()) return wrong;
        if (barrier) heard.step(step);
    }
    return barrier ? check_heard(s, heard) : state.result();
}

}  // namespace detail

/// Replays a schedule symbolically against its contract: the right bytes at the right place, every range inside its buffer,
/// nothing read before it is held, the rules of a step, operand order, what is sent is what is received; with the buffers
/// bound separately or in place. The first thing wrong, or none. Wrong parameters throw where exceptions are on.
///
/// Segments are pieces of a buffer with one origin: p a rank where everybody ends with all blocks. Memory O(edges + segments
/// of all ranks); time O(edges + segments moved) times the logarithm of the segments of a buffer, where they are written in
/// ascending order, or few a buffer. During constant evaluation up to about 2,500 edges.
template <schedulable X>
constexpr verdict verify(const X& x, binding how = binding::separate) {
    const auto& s = lower(x);
    const auto refused = [](const error& wrong) -> verdict {
        if (!std::is_constant_evaluated()) refuse_if(wrong);
        return {finding::bad_argument, 0, 0, buffer::input, wrong.value};
    };
    if (const error wrong = s.check()) return refused(wrong);
    if constexpr (std::same_as<X, stored_schedule>) {
        return detail::replay_all(x, how);
    } else {
        // Constant evaluation can better afford memory than to ask twice.
        gap_array<edge> kept;
        if (verdict wrong = detail::check_answers(s, std::is_constant_evaluated() ? &kept : nullptr); !wrong.ok())
            return wrong;
        const stored_schedule stored = detail::stored_with(s, kept);
        if (const error wrong = stored.check()) return refused(wrong);  // sizes or pacing that are none
        if (verdict wrong = detail::check_matching(s, stored); !wrong.ok()) return wrong;
        return detail::replay_all(stored, how);
    }
}

}  // namespace collsched
