#pragma once

#include <range/v3/range/concepts.hpp>

#include "collsched/schedule/edge_views.hpp"

/// Declares the views of schedules as views of Range-v3, so that they may be piped into ranges::views.
template <collsched::schedule S, collsched::detail::walk Walk, bool Owns>
inline constexpr bool ranges::enable_view<collsched::detail::edge_view<S, Walk, Owns>> = true;
