#pragma once

#include "collsched/collective/gather/linear.hpp"
#include "collsched/combine/reversed.hpp"

namespace collsched::scatter {

/// The root sends every rank its block in turn: gather::linear backwards, with as many rounds and bytes.
using linear = reversed<gather::linear>;

}  // namespace collsched::scatter
