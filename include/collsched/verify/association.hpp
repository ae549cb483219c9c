#pragma once

#include <span>

#include "collsched/verify/association_report.hpp"
#include "collsched/verify/combination_trees.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Returns what the brackets of a reduction have in common: replays the schedule as verify() does, and follows the tree of
/// every byte of the result. docs/association.md defines the classes and the canonical trees.
///
/// @param x        schedule or algorithm. A collective without a combination has the class canonical
/// @param binding  separate buffers, or in place
/// @return verdict and class and, where the next class fails, two bytes of the result. combination_trees has their trees
/// Failure: as of verify().
/// Complexity: that of verify(), where bytes with different trees are different segments.
template <schedulable X>
constexpr association_report association(const X& x, binding binding = binding::separate) {
    return combination_trees(x, binding).association();
}

/// Returns the class of several schedules of one algorithm and number of ranks, such as those of several sizes and
/// segments: the smallest of their classes. Where that is position, trees that differ between schedules make it rank.
///
/// @param schedules  schedules or algorithms of one type. Without a schedule: canonical
/// @param binding    separate buffers, or in place
/// @return the class; any where a schedule is not correct
/// Failure: as of verify().
/// Complexity: the sum of association() of all of them.
template <schedulable X>
constexpr association_class common_association(std::span<const X> schedules, binding binding = binding::separate) {
    if (schedules.empty()) return association_class::canonical;
    combination_trees base(schedules.front(), binding);
    association_class common = base.association().level;
    for (const X& x : schedules.subspan(1)) {
        combination_trees trees(x, binding);
        const association_class level = trees.association().level;
        if (level < common) common = level;
        if (base.parts().empty()) base = static_cast<combination_trees&&>(trees);
        else if (common == association_class::position && !base.same_as(trees)) common = association_class::rank;
    }
    return common;
}

}}  // namespace collsched::COLLSCHED_ABI
