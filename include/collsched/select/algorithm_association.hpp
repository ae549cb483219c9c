#pragma once

#include <span>

#include "collsched/collective/algorithm_list.hpp"
#include "collsched/core/bits.hpp"
#include "collsched/verify/combination_trees.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Returns the class that the schedules of a reduction have whatever their sizes and segments, which are replaced in the
/// given shape: the class of messages of 1, p and p + p/2 + 1 elements and blocks of 1 and 3 together, in one piece and in
/// segments of 1 and p/2 + 1 elements. Above 64 ranks it is the largest message and block alone, in one piece and in
/// segments of p/2 + 1 elements. For an algorithm with a root it is the smallest class of the first, the middle and the
/// last root, which may have different trees below canonical.
///
/// @param entry  a reduction
/// @param base   number of ranks p, radix, group, placement and what else is not varied. Shapes that the algorithm
///               refuses are left out
/// @return the class; canonical if all shapes are refused
/// Complexity: that of verify() for up to 27 schedules, above 64 ranks for up to 6.
inline association_class algorithm_association(const algorithm_entry& entry, const shape& base) {
    constexpr bytes_t element = 8;
    const rank_t p = base.ranks;
    constexpr rank_t most_ranks_in_full = 64;
    const bytes_t messages[] = {1, p, p + p / 2 + 1}, blocks[] = {1, 3}, pieces[] = {0, p / 2 + 1, 1};
    const bool all_sizes = p <= most_ranks_in_full;
    std::span<const bytes_t> sizes = entry.takes(&shape::block) ? std::span<const bytes_t>(blocks) : messages;
    if (!all_sizes) sizes = sizes.last(1);
    const std::span<const bytes_t> segments =
        std::span(pieces).first(entry.takes(&shape::segment) ? (all_sizes ? 3 : 2) : 1);
    association_class common = association_class::canonical;
    for (const rank_t root : {rank_t{0}, p / 2, p - 1}) {
        if (root > 0 && !entry.takes(&shape::root)) break;
        detail::association_sweep sweep;
        shape trial = base;
        trial.root = root;
        trial.element = element;
        for (const bytes_t segment : segments)
            for (const bytes_t size : sizes) {
                trial.segment = segment * element;
                trial.bytes = size * element;
                trial.block = size * element;
                const any_schedule s = entry.make(trial);
                if (!s.check()) sweep.add(combination_trees(s));
            }
        if (sweep.level() < common) common = sweep.level();
    }
    return common;
}

/// Returns whether an algorithm has an association_report::summary: a reduction that needs neither a cluster nor a network.
/// @param entry  an algorithm
inline bool has_association(const algorithm_entry& entry) {
    return reduces(entry.info.collective) && !entry.takes(&shape::cluster) && !entry.takes(&shape::forest) &&
           !entry.takes(&shape::transfers);
}

/// Adds the class at a number of ranks, 3 or more: 1 and 2 ranks have one tree only.
/// @param entry    a reduction
/// @param base     as for algorithm_association(entry, base). A number of ranks that is refused adds nothing
/// @param summary  the classes so far
inline void add_association(const algorithm_entry& entry, const shape& base, association_report::summary& summary) {
    shape smallest = base;
    smallest.element = smallest.bytes = 1;
    smallest.block = 1;
    if (entry.make(smallest).check()) return;
    const association_class level = algorithm_association(entry, base);
    if (level < summary.any_ranks) summary.any_ranks = level;
    if (is_power_of_two(base.ranks) && level < summary.powers_of_two) summary.powers_of_two = level;
}

/// Returns the classes of a reduction with its own radix, group and placement. They are computed at 3 to 8, 12 and 16
/// ranks; a test compares them with those of all numbers of ranks up to 64.
///
/// @param entry  a reduction that needs neither a cluster nor a network
/// Complexity: milliseconds.
inline association_report::summary summarize_association(const algorithm_entry& entry) {
    association_report::summary summary;
    for (const rank_t p : {3, 4, 5, 6, 7, 8, 12, 16}) add_association(entry, {.ranks = p}, summary);
    return summary;
}

}}  // namespace collsched::COLLSCHED_ABI
