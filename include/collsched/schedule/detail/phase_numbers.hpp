#pragma once

#include "collsched/core/rank.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Numbers of the steps of an algorithm that is written in phases, one of which may be idle: no rank has an edge in it.
/// The idle phase is no step.
struct phase_numbers {
    step_t phases;  ///< number of phases, the idle one included
    step_t idle;    ///< the idle phase, or `phases` if there is none

    constexpr step_t steps() const { return idle < phases ? phases - 1 : phases; }
    /// Returns the phase of step k.
    constexpr step_t phase(step_t k) const { return k < idle ? k : k + 1; }
    /// Returns the number of steps in earlier phases: the step of a phase that is not idle.
    constexpr step_t step(step_t phase) const { return phase <= idle ? phase : phase - 1; }
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
