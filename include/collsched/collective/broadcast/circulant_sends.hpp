#pragma once

#include "collsched/collective/broadcast/circulant_rounds.hpp"

namespace collsched::inline v0_1::broadcast {

namespace detail {

/// Which piece rank v > 0 sends in each round. v is looked for among ever fewer ranks, parted at s_k: in round k those
/// before s_k send one piece and those behind it another; for who stands at the border look_up(k) tells.
template <class LookUp>
constexpr round_numbers circulant_sends(const circulant_rounds& graph, rank_t v, LookUp look_up) {
    round_numbers found{};
    step_t piece = graph.first_piece(v);
    found[0] = piece - graph.count();
    rank_t place = v, end = graph.ranks;
    for (step_t k = graph.count() - 1; k > 0; --k) {
        const rank_t middle = graph.skip(k);
        const bool behind = place >= middle;
        if (behind) piece = k - graph.count();
        const bool border = behind ? place == middle : place + middle >= end;
        found[k] = border ? look_up(k) : piece;
        if (behind) place -= middle, end -= middle;
        else if (end > middle) end = middle;
    }
    return found;
}

}  // namespace detail

/// The pieces that rank v sends to v + s_k in the rounds k of a phase, all at once: what v + s_k receives in round k.
/// (To the root nothing is sent.)
///
/// All but 3 + log2 q entries at most follow from where v stands, in O(q) time together; the others, mostly two or
/// less, are looked up in what their receivers receive, in O(q) time each.
/// Source: Traeff 2024, "Optimal broadcast schedules in logarithmic time".
constexpr round_numbers circulant_sends(const circulant_rounds& graph, rank_t v) {
    if (v > 0)
        return detail::circulant_sends(
            graph, v, [&](step_t k) { return graph.received(wrap(v + graph.skip(k), graph.ranks))[k]; });
    round_numbers each{};
    for (step_t k = 0; k < graph.count(); ++k) each[k] = k;
    return each;
}

}  // namespace collsched::inline v0_1::broadcast
