#pragma once

#include <span>

#include "collsched/verify/association_report.hpp"
#include "collsched/verify/combination_trees.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Returns the class of the brackets of a reduction: replays the schedule as verify() does, and follows the tree of
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

namespace detail {

/// The class that several schedules of one algorithm and number of ranks have together, such as those of several sizes and
/// segments: the smallest of their classes. Where that is position, trees that differ between schedules make it rank.
class association_sweep {
  public:
    /// Adds a schedule.
    /// @param trees  its trees
    constexpr void add(combination_trees trees) {
        const association_class added = trees.association().level;
        if (added < level_) level_ = added;
        if (base_.parts().empty()) base_ = static_cast<combination_trees&&>(trees);
        else if (level_ == association_class::position && !trees.parts().empty() && !base_.same_as(trees))
            level_ = association_class::rank;
    }

    /// Returns the class of the schedules that were added; canonical without any, any where one is not correct.
    constexpr association_class level() const { return level_; }

  private:
    association_class level_ = association_class::canonical;
    combination_trees base_;  // of the first schedule with a result
};

}  // namespace detail

/// Returns the class that several schedules have together: the smallest of their classes. Where that is position,
/// trees that differ between schedules make it rank.
///
/// @param schedules  schedules or algorithms of one type
/// @param binding    separate buffers, or in place
/// Failure: as of verify().
/// Complexity: the sum of association() of all of them.
template <schedulable X>
constexpr association_class common_association(std::span<const X> schedules, binding binding = binding::separate) {
    detail::association_sweep sweep;
    for (const X& x : schedules) sweep.add(combination_trees(x, binding));
    return sweep.level();
}

}}  // namespace collsched::COLLSCHED_ABI
