#pragma once

#include "collsched/collective/gather/linear.hpp"
#include "collsched/combine/reversed.hpp"

namespace collsched::inline v0_1::scatter {

/// The root sends every rank its block in turn, in ascending relative rank: a linear gather backwards, with as many rounds and
/// bytes.
using linear = reversed<gather::linear_in_turn<true>>;

}  // namespace collsched::inline v0_1::scatter
