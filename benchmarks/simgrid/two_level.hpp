#pragma once

#include <string>
#include <vector>

#include "collsched/collective/algorithm_list.hpp"

namespace simulated {

struct candidate;

/// Adds compositions that work in each cluster and among clusters, as the placement tells them: pipelined where they can
/// be, in segments that are tried one after another.
void add_two_level(std::vector<candidate>& found, collsched::collective what, const collsched::shape& wanted,
                   collsched::bytes_t bytes);

}  // namespace simulated
